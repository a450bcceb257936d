/** The tenant: every key, device and message belongs to exactly one environment. */

export type EnvironmentName = 'production' | 'staging'

export const environmentNames: readonly EnvironmentName[] = ['production', 'staging']

export type Settings = {
  /** `shape`: any number that looks international. `plan`: it must also exist in the numbering plans we know. */
  numberCheck: 'shape' | 'plan'
}

export const defaultSettings: Settings = { numberCheck: 'shape' }

export type Environment = { id: number; name: EnvironmentName; settings: Settings }
