/** The tenant: every key, device and message belongs to exactly one environment. */

import { validityMs } from './messages/message.ts'
import { type OptOutWords, usualOptInWords, usualOptOutWords } from './people/opt-out.ts'

export type EnvironmentName = 'production' | 'staging'

export const environmentNames: readonly EnvironmentName[] = ['production', 'staging']

export type Settings = OptOutWords & {
  /** `shape`: any number that looks international. `plan`: it must also exist in the numbering plans we know. */
  numberCheck: 'shape' | 'plan'
  /** For how long a message may wait for a device, unless it says so itself. */
  validitySeconds: number
  /** After so many days texts are forgotten, and after so many whole messages are removed; null: never. */
  forgetTextsAfterDays: number | null
  removeAfterDays: number | null
}

export const defaultSettings: Settings = {
  numberCheck: 'shape',
  validitySeconds: validityMs.default / 1_000,
  optOutWords: usualOptOutWords,
  optInWords: usualOptInWords,
  forgetTextsAfterDays: null,
  removeAfterDays: null,
}

export type Environment = { id: number; name: EnvironmentName; settings: Settings }

/** Where the API of each is. */
export const apiPaths: Record<EnvironmentName, string> = { production: '/api/v1', staging: '/staging/api/v1' }

/** Something of one environment: under its id nobody finds it in another. */
export type Owned = { environmentId: number; id: string }
