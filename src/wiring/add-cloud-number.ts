/** Adds a number that is reached over WhatsApp's official API: checks it first, then keeps its secrets sealed. */

import { randomBytes, randomUUIDv7 } from 'node:crypto'
import type { Config } from '../config.ts'
import type { Device } from '../core/devices/device.ts'
import { cloudNumber } from '../core/devices/kinds/whatsapp.ts'
import type { VaultStore } from '../core/devices/vault.ts'
import type { Keep } from '../core/idempotency.ts'
import { normaliseNumber } from '../core/people/number.ts'
import { invalid, Problem } from '../core/problem.ts'
import type { Store } from '../core/store.ts'
import { accountEntry, type CloudAccount, readAccount } from '../links/whatsapp/cloud/account.ts'
import { Graph, Refused } from '../links/whatsapp/cloud/graph.ts'
import { webhookPath } from '../links/whatsapp/cloud/routes.ts'
import { SealedVault } from '../secrets/sealed-vault.ts'
import type { Sealer } from '../secrets/sealer.ts'

export type CloudCredentials = Pick<CloudAccount, 'phoneNumberId' | 'accessToken' | 'appSecret'>

/** What must be entered in Meta's app dashboard. */
export type Webhook = { url: string; verifyToken: string }

export type AddedNumber = { device: Device; webhook: Webhook }

export type CloudParts = {
  store: Pick<Store, 'allDevices' | 'enrol'> & VaultStore
  config: Config
  sealer: Sealer
  publicUrl: string
}

const vaultOf = ({ store, sealer }: CloudParts, deviceId: string) => new SealedVault(store, deviceId, sealer)

export async function addCloudNumber(
  parts: CloudParts,
  { environmentId, name }: { environmentId: number; name: string },
  credentials: CloudCredentials,
  remember?: (addedOf: (device: Device) => AddedNumber) => Keep<Device> | undefined,
): Promise<AddedNumber> {
  const { store, publicUrl } = parts
  const phone = await checked(parts, credentials)
  const { phoneNumberId } = credentials
  const taken = (await store.allDevices()).find(
    ({ about, removedAt }) => about.phoneNumberId === phoneNumberId && removedAt === null,
  )
  if (taken) throw invalid('/cloud/phone_number_id', `This number is the device ${taken.name} already.`)
  const limits = { perMinute: cloudNumber.perMinute, perDay: null }
  const draft = { environmentId, kind: cloudNumber.name, name, phone, ...limits }
  const id = randomUUIDv7()
  const verifyToken = newVerifyToken()
  const secrets = vaultOf(parts, id).sealed([accountEntry({ ...credentials, verifyToken })])
  const webhook = { url: `${publicUrl}${webhookPath}`, verifyToken }
  const addedOf = (device: Device): AddedNumber => ({ device, webhook })
  return addedOf(
    await store.enrol(
      { ...draft, id, driver: cloudNumber.driver, about: { phoneNumberId }, secrets },
      remember?.(addedOf),
    ),
  )
}

/** Gives it a new token or secret, if they are good. */
export async function renewCloudNumber(
  parts: CloudParts,
  device: Device,
  renewed: Partial<Pick<CloudAccount, 'accessToken' | 'appSecret'>>,
): Promise<void> {
  const vault = vaultOf(parts, device.id)
  const { phoneNumberId } = device.about
  if (device.driver !== cloudNumber.driver || phoneNumberId === undefined)
    throw invalid('/cloud', 'Only numbers of the official API have a token.')
  // After a restore nothing is known of it: backups hold no secrets.
  const account = (await readAccount(vault)) ?? { phoneNumberId, verifyToken: newVerifyToken() }
  const after = { ...account, ...renewed }
  if (!isWhole(after)) throw invalid('/cloud', 'Both the access token and the app’s secret are needed.')
  await checked(parts, after)
  await vault.write([accountEntry(after)])
}

const newVerifyToken = () => randomBytes(18).toString('base64url')

const isWhole = (account: Partial<CloudAccount>): account is CloudAccount =>
  account.accessToken !== undefined && account.appSecret !== undefined

/** The number in international format; empty when Meta does not tell one. */
async function checked({ config }: CloudParts, credentials: CloudCredentials): Promise<string> {
  try {
    const number = await new Graph(config.WHATSAPP_GRAPH_URL, credentials).number()
    return normaliseNumber(number) ?? ''
  } catch (error) {
    if (error instanceof Refused)
      throw invalid('/cloud', `WhatsApp’s official API refuses this: ${error.message} (${error.code})`)
    throw new Problem('whatsapp_unreachable', 'WhatsApp’s official API cannot be reached.', {
      cause: error,
      retryAfter: 30,
    })
  }
}
