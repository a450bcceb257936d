/** A gateway with one simulated phone that is online, and a key: where most flows begin. */

import { scopes } from '../../src/core/access/key.ts'
import type { DeviceDraft } from '../../src/core/devices/device-draft.ts'
import { type Answer, startGateway, type TestGateway, type TestOptions, until } from './gateway.ts'

export type Staging = {
  gateway: TestGateway
  key: string
  deviceId: string
  /** Asks the API of staging. */
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  stop(): Promise<void>
}

export async function startStaging(
  options: TestOptions = {},
  draft: Partial<DeviceDraft> = {},
): Promise<Staging> {
  const gateway = await startGateway(options)
  const { id: deviceId } = await gateway.device('staging', draft)
  const key = await gateway.key('staging', { scopes })
  await until('online', async () => {
    await gateway.fleet.refresh()
    return gateway.fleet.member(deviceId)?.online === true
  })
  return {
    gateway,
    key,
    deviceId,
    ask: (method, path, body, headers) =>
      gateway.ask(method, `/staging/api/v1${path}`, {
        key,
        ...(body !== undefined && { body }),
        ...(headers && { headers }),
      }),
    stop: () => gateway.stop(),
  }
}
