/** The tenant: every key, device and message belongs to exactly one environment. */

import { type OptOutWords, usualOptInWords, usualOptOutWords } from './opt-out.ts'

export type EnvironmentName = 'production' | 'staging'

export const environmentNames: readonly EnvironmentName[] = ['production', 'staging']

export type Settings = OptOutWords & {
  /** `shape`: any number that looks international. `plan`: it must also exist in the numbering plans we know. */
  numberCheck: 'shape' | 'plan'
  /** After so many days texts are forgotten, and after so many whole messages are removed; null: never. */
  forgetTextsAfterDays: number | null
  removeAfterDays: number | null
}

export const defaultSettings: Settings = {
  numberCheck: 'shape',
  optOutWords: usualOptOutWords,
  optInWords: usualOptInWords,
  forgetTextsAfterDays: null,
  removeAfterDays: null,
}

export type Environment = { id: number; name: EnvironmentName; settings: Settings }
