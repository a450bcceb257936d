/** The settings of an environment. */

import type { Environment, Settings } from '../core/environment.ts'
import type { Action } from './routes.ts'
import type { SettingsRequest, SettingsResponse } from './schemas.ts'

const shown = (settings: Settings): SettingsResponse => ({
  success: true,
  data: { number_check: settings.numberCheck },
})

export const settings =
  (): Action<SettingsResponse> =>
  async ({ environment }) =>
    shown(environment.settings)

export const configure =
  (change: (environment: Environment, settings: Settings) => Promise<void>): Action<SettingsResponse> =>
  async ({ environment, body }) => {
    const { number_check: numberCheck } = body as SettingsRequest
    const settings = { ...environment.settings, ...(numberCheck !== undefined && { numberCheck }) }
    await change(environment, settings)
    return shown(settings)
  }
