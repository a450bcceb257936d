/** Numbers of WhatsApp's official API on the command line. Secrets come from files: arguments can be read by others. */

import { driverNames, type Kind } from '../core/devices/kinds/kinds.ts'
import type { CloudParts } from '../wiring/add-cloud-number.ts'
import { type Context, type Given, required, UsageError } from './command.ts'
import { fleetOf, shown } from './device-settings.ts'
import { secretFrom } from './secret-file.ts'

export const cloudOptions = {
  driver: {
    type: 'string',
    value: driverNames().join('|'),
    about: 'whatsapp: linked to a phone, or the official API',
  },
  'phone-number-id': { type: 'string', value: 'ID', about: 'cloud: Meta’s id of the number' },
  'token-file': { type: 'string', value: 'F', about: 'cloud: file with the access token' },
  'app-secret-file': { type: 'string', value: 'F', about: 'cloud: file with the app’s secret' },
} as const

/** Credentials for a device that takes none are a mistake. */
export function checkCredentials(given: Given, { addedBy }: Kind): void {
  const stray = ['phone-number-id', 'token-file', 'app-secret-file'].find(
    name => given.text(name) !== undefined,
  )
  if (addedBy !== 'credentials' && stray !== undefined)
    throw new UsageError(`--${stray} needs --driver cloud`)
}

export async function addCloud(
  { given, output }: Context,
  parts: CloudParts & { store: Parameters<typeof fleetOf>[0] },
  draft: { environmentId: number; name: string },
): Promise<undefined> {
  const accessToken = secretFrom(given, 'token-file')
  const appSecret = secretFrom(given, 'app-secret-file')
  if (accessToken === undefined || appSecret === undefined)
    throw new UsageError('--driver cloud needs --phone-number-id, --token-file and --app-secret-file')
  const phoneNumberId = required(given, 'phone-number-id')
  if (!/^\d{5,30}$/.test(phoneNumberId)) throw new UsageError('--phone-number-id must be 5 to 30 digits')
  const { addCloudNumber } = await import('../wiring/add-cloud-number.ts')
  const { device, webhook } = await addCloudNumber(parts, draft, { phoneNumberId, accessToken, appSecret })
  const member = (await fleetOf(parts.store)).member(device.id)!
  const { url, verifyToken } = webhook
  output.show({ ...shown(member), webhook: { url, verify_token: verifyToken } }, () =>
    [
      `Added ${device.name} (${device.id}), ${device.phone}.`,
      '',
      'In Meta’s app dashboard: WhatsApp → Configuration → Webhook, then subscribe to “messages”.',
      '',
      `  Callback URL   ${url}`,
      `  Verify token   ${verifyToken}`,
      '',
      'The verify token is shown only this once. Meta must reach the address over https, from the internet:',
      'PUBLIC_URL says which it is.',
    ].join('\n'),
  )
  return undefined
}
