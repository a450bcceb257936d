/** The settings of an environment. */

import { defaultSettings, type Environment, type Settings } from '../../../core/environment.ts'
import { plainWord, usualOptInWords, usualOptOutWords } from '../../../core/people/opt-out.ts'
import { invalid } from '../../../core/problem.ts'
import type { Action } from '../route.ts'
import type { SettingsRequest, SettingsResponse } from './setting-schemas.ts'

const shown = (settings: Settings): SettingsResponse => ({
  success: true,
  data: {
    number_check: settings.numberCheck,
    default_ttl: settings.validitySeconds,
    opt_out_words: [...settings.optOutWords],
    opt_in_words: [...settings.optInWords],
    forget_texts_after_days: settings.forgetTextsAfterDays,
    remove_after_days: settings.removeAfterDays,
  },
})

export const settings =
  (): Action<SettingsResponse> =>
  async ({ environment }) =>
    shown(environment.settings)

export const configure =
  (change: (environment: Environment, settings: Settings) => Promise<void>): Action<SettingsResponse> =>
  async ({ environment, body }) => {
    const asked = body as SettingsRequest
    const settings = {
      ...environment.settings,
      ...(asked.number_check !== undefined && { numberCheck: asked.number_check }),
      ...(asked.default_ttl !== undefined && {
        validitySeconds: asked.default_ttl ?? defaultSettings.validitySeconds,
      }),
      ...(asked.opt_out_words !== undefined && {
        optOutWords: wordsOf('opt_out_words', asked.opt_out_words ?? usualOptOutWords),
      }),
      ...(asked.opt_in_words !== undefined && {
        optInWords: wordsOf('opt_in_words', asked.opt_in_words ?? usualOptInWords),
      }),
      ...(asked.forget_texts_after_days !== undefined && {
        forgetTextsAfterDays: asked.forget_texts_after_days,
      }),
      ...(asked.remove_after_days !== undefined && { removeAfterDays: asked.remove_after_days }),
    }
    const both = settings.optOutWords
      .map(plainWord)
      .find(word => settings.optInWords.map(plainWord).includes(word))
    if (both !== undefined) throw invalid('/opt_in_words', `“${both}” is an opt-out word too.`)
    await change(environment, settings)
    return shown(settings)
  }

/** Words as people write them, each once. None at all: nobody can opt out by message. */
function wordsOf(field: string, given: readonly string[]): string[] {
  const words = given.map(word => word.trim())
  if (words.includes('')) throw invalid(`/${field}`, `${field} must not hold an empty word.`)
  return [...new Map(words.map(word => [plainWord(word), word])).values()]
}
