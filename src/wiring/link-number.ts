/** Links a WhatsApp number to a device: the steps for people, then the device and its session in the database. */

import { randomUUIDv7 } from 'node:crypto'
import type { Config } from '../config.ts'
import type { Device } from '../core/devices/device.ts'
import { linkedNumber } from '../core/devices/kinds/whatsapp.ts'
import type { LinkStep, LinkTarget } from '../core/devices/linking.ts'
import type { VaultChange, VaultStore } from '../core/devices/vault.ts'
import type { Keep } from '../core/idempotency.ts'
import type { Log } from '../core/lib/log.ts'
import type { Store } from '../core/store.ts'
import { LibraryMissing } from '../links/whatsapp/linked/library.ts'
import { pair } from '../links/whatsapp/linked/pairing.ts'
import { inboxType } from '../links/whatsapp/linked/session.ts'
import { SealedVault } from '../secrets/sealed-vault.ts'
import type { Sealer } from '../secrets/sealer.ts'
import { webVersions } from './web-versions.ts'

export type LinkParts = {
  store: Pick<Store, 'allDevices' | 'enrol'> & VaultStore
  config: Config
  sealer: Sealer
  log: Log
  now: () => number
  signal: AbortSignal
  /** The answer to keep in the commit that makes it linked. */
  keep?: Keep<Device> | undefined
}

export async function* linkNumber(
  parts: LinkParts,
  target: LinkTarget,
  withCode: boolean,
): AsyncGenerator<LinkStep> {
  if ('device' in target && target.device.online) {
    yield alreadyLinked
    return
  }
  const taken = 'phone' in target && target.phone ? await ownerOf(parts.store, target.phone) : undefined
  if (taken) {
    const detail = `${taken.phone} is the device ${taken.name} already.`
    yield { step: 'failed', code: 'number_taken', detail }
    return
  }
  try {
    yield* attempted(parts, target, withCode)
  } catch (error) {
    if (!(error instanceof LibraryMissing)) throw error
    yield { step: 'failed', code: 'library_missing', detail: error.message }
  }
}

async function* attempted(parts: LinkParts, target: LinkTarget, withCode: boolean): AsyncGenerator<LinkStep> {
  const { store, config, log, now, signal } = parts
  const wanted = ('device' in target ? target.device.phone : target.phone) || undefined
  const url = config.WHATSAPP_WS_URL
  const attempt = pair({
    ...(url !== undefined && { url }),
    version: await webVersions(config, now).get(),
    ...(withCode && wanted !== undefined && { number: wanted.slice(1) }),
    signal,
    now,
    log,
  })
  for await (const step of attempt) {
    if (step.step === 'qr')
      yield { step: 'qr', qr: step.qr, expires_at: new Date(step.expiresAt).toISOString() }
    else if (step.step !== 'linked') yield step
    else {
      const refusal = await refusalOf(store, target, step.number, wanted)
      if (refusal) {
        yield refusal
        return
      }
      yield { step: 'linked', device: await linked(parts, target, step.number, step.session) }
    }
  }
}

/** The device with its session, in one commit. */
async function linked(
  { store, sealer, keep }: LinkParts,
  target: LinkTarget,
  phone: string,
  session: readonly VaultChange[],
): Promise<Device> {
  const sealed = (id: string) => new SealedVault(store, id, sealer).sealed(session)
  if ('device' in target) {
    const { device } = target
    // Received messages not yet reported are kept.
    await store.vaultReplace(
      device.id,
      sealed(device.id),
      inboxType,
      keep && { ...keep, answer: () => keep.answer(device) },
    )
    return device
  }
  const { environmentId, name } = target
  const id = randomUUIDv7()
  const draft = {
    id,
    environmentId,
    kind: linkedNumber.name,
    driver: linkedNumber.driver,
    name,
    phone,
    perMinute: linkedNumber.perMinute,
    perDay: null,
  }
  return await store.enrol({ ...draft, secrets: sealed(id) }, keep)
}

/** Its session is in use; another in its place would be written over. */
const alreadyLinked: LinkStep = {
  step: 'failed',
  code: 'already_linked',
  detail: 'It is linked. To link it again, first remove it on the phone: WhatsApp → Linked devices.',
}

const ownerOf = async (store: LinkParts['store'], number: string, but?: string) =>
  (await store.allDevices()).find(
    ({ kind, phone, removedAt, id }) =>
      kind === linkedNumber.name && phone === number && removedAt === null && id !== but,
  )

/** The phone has said yes already; the link that nobody will use must be removed there. */
const undo = 'On the phone, remove the link that was just made: WhatsApp → Linked devices.'

async function refusalOf(
  store: LinkParts['store'],
  target: LinkTarget,
  number: string,
  wanted: string | undefined,
): Promise<LinkStep | undefined> {
  if (wanted !== undefined && wanted !== number)
    return {
      step: 'failed',
      code: 'wrong_number',
      detail: `The code was scanned by ${number} instead of ${wanted}. ${undo}`,
    }
  const own = 'device' in target ? target.device.id : undefined
  // It may have reconnected since linking began.
  if ((await store.allDevices()).some(({ id, online }) => id === own && online)) return alreadyLinked
  const other = await ownerOf(store, number, own)
  return (
    other && {
      step: 'failed',
      code: 'number_taken',
      detail: `${number} is the device ${other.name} already. ${undo}`,
    }
  )
}
