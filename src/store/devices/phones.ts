/** Android phones: who may come in, and who is in. */

import type { Device } from '../../core/devices/device.ts'
import { kindOf } from '../../core/devices/kinds/kinds.ts'
import {
  codeMs,
  codeTriesOfAll,
  enrolmentMs,
  type Invitation,
  newHook,
  newSigningKey,
  type Phone,
  type PhoneNote,
  type Proof,
  previousHookMs,
} from '../../core/devices/phone.ts'
import { raw, type Sql, sql, varying } from '../engine/sql.ts'
import type { Transaction } from '../engine/transaction.ts'
import { each, type Verb } from '../engine/verb.ts'
import { type DeviceRow, deviceColumns, deviceFrom } from './devices.ts'

const columns = raw(`p.token_hash AS "tokenHash", p.registration, p.signing_key AS "signingKey", p.hook`)
const joined = raw(
  `FROM phones p JOIN devices d ON d.id = p.device_id JOIN environments e ON e.id = d.environment_id`,
)

type PhoneRow = Pick<Phone, 'tokenHash' | 'registration' | 'signingKey' | 'hook'> & DeviceRow
function fromRow({ tokenHash, registration, signingKey, hook, ...row }: PhoneRow): Phone {
  const device = deviceFrom(row)
  return { device, tokenHash, registration, signingKey, hook, ...device.connection }
}

export async function phones(connection: Sql): Promise<Phone[]> {
  const found = await connection.all<PhoneRow>(
    sql`SELECT ${deviceColumns}, ${columns} ${joined} WHERE d.removed_at IS NULL`,
  )
  return found.map(fromRow)
}

async function phoneBy(
  connection: Sql,
  column: 'token_hash' | 'hook' | 'previous_hook' | 'device_id',
  value: string,
): Promise<Phone | undefined> {
  const [row] = await connection.all<PhoneRow>(sql`
    SELECT ${deviceColumns}, ${columns} ${joined} WHERE p.${varying(column)} = ${value} AND d.removed_at IS NULL`)
  return row && fromRow(row)
}

export const phoneByToken = (connection: Sql, tokenHash: string) =>
  phoneBy(connection, 'token_hash', tokenHash)

export async function phoneByHook(connection: Sql, hook: string, now: number): Promise<Phone | undefined> {
  const current = await phoneBy(connection, 'hook', hook)
  if (current) return current
  const phone = await phoneBy(connection, 'previous_hook', hook)
  const [previous] = await connection.all<{ key: string }>(sql`
    SELECT previous_key AS key FROM phones WHERE previous_hook = ${hook} AND previous_until > ${now}`)
  // It had its key then, so what it posts there must be signed.
  return phone && previous && { ...phone, signingKey: previous.key, keyAt: phone.registeredAt }
}

export const invite: Verb<{ deviceId: string; invitation: Invitation }, boolean> = each(
  async (tx, { deviceId, invitation }) => {
    const [device] = await tx.all<Pick<Device, 'kind' | 'driver'>>(
      sql`SELECT kind, driver FROM devices WHERE id = ${deviceId} AND removed_at IS NULL`,
    )
    if (!device || kindOf(device).addedBy !== 'enrolment') return false
    await inviteOne(tx, deviceId, invitation)
    return true
  },
)

export async function inviteOne(
  tx: Transaction,
  deviceId: string,
  { tokenHash, code }: Invitation,
): Promise<void> {
  await tx.all(sql`
    INSERT INTO phones (device_id, signing_key, hook) VALUES (${deviceId}, ${newSigningKey()}, ${newHook()})
    ON CONFLICT (device_id) DO NOTHING`)
  if (tokenHash !== undefined)
    await tx.all(sql`
      UPDATE phones SET enrolment_hash = ${tokenHash}, enrolment_until = ${tx.now + enrolmentMs}, code_hash = NULL
      WHERE device_id = ${deviceId}`)
  if (code)
    await tx.all(sql`
      UPDATE phones SET code_hash = ${code.hash}, code_expires_at = ${code.expiresAt}, code_tries = 0
      WHERE device_id = ${deviceId}`)
}

export async function mayAdmit(connection: Sql, proof: Proof, now: number): Promise<boolean> {
  const found =
    'codeHash' in proof
      ? await connection.all(
          sql`SELECT 1 AS yes FROM phones WHERE code_hash IS NOT NULL AND code_expires_at > ${now} LIMIT 1`,
        )
      : await connection.all(sql`
          SELECT 1 AS yes FROM phones
          WHERE enrolment_hash = ${proof.tokenHash} AND (enrolment_until IS NULL OR enrolment_until > ${now})`)
  return found.length > 0
}

export const admit: Verb<{ proof: Proof; tokenHash: string }, Phone | undefined> = each(
  async (tx, { proof, tokenHash }) => {
    const deviceId =
      'codeHash' in proof
        ? await byCode(tx, proof.codeHash, proof.issuedAfter ?? 0)
        : await byToken(tx, proof.tokenHash)
    if (deviceId === undefined) return undefined
    await renewSecrets(tx, deviceId)
    await tx.all(sql`
    UPDATE phones SET token_hash = ${tokenHash}, registration = registration + 1, registered_at = ${tx.now},
      key_at = NULL, stream_at = NULL, code_hash = NULL,
      enrolment_until = NULL
    WHERE device_id = ${deviceId}`)
    tx.devicesChanged()
    return await phoneBy(tx, 'device_id', deviceId)
  },
)

/**
 * Whoever is let in gets an address and a key of its own. The ones before are good for a while, because what the same
 * phone still has to hand over goes there. If nobody ever fetched them, there is nothing to renew: a phone whose answer
 * got lost registers twice in a row.
 */
async function renewSecrets(tx: Transaction, deviceId: string): Promise<void> {
  await tx.all(sql`
    UPDATE phones SET previous_key = signing_key, previous_hook = hook, previous_until = ${tx.now + previousHookMs},
      signing_key = ${newSigningKey()}, hook = ${newHook()}
    WHERE device_id = ${deviceId} AND key_at IS NOT NULL`)
}

async function byToken(tx: Transaction, tokenHash: string): Promise<string | undefined> {
  const [row] = await tx.all<{ id: string }>(sql`
    SELECT d.id FROM phones p JOIN devices d ON d.id = p.device_id
    WHERE p.enrolment_hash = ${tokenHash} AND (p.enrolment_until IS NULL OR p.enrolment_until > ${tx.now})
      AND d.removed_at IS NULL`)
  return row?.id
}

/** Nobody says which phone a code is for, so a wrong one counts against each that it could have been. */
async function byCode(tx: Transaction, codeHash: string, issuedAfter: number): Promise<string | undefined> {
  const youngerThan = issuedAfter + codeMs
  const [row] = await tx.all<{ id: string }>(sql`
    SELECT d.id FROM phones p JOIN devices d ON d.id = p.device_id
    WHERE p.code_hash = ${codeHash} AND p.code_expires_at > ${tx.now} AND p.code_expires_at > ${youngerThan}
      AND p.code_tries < ${codeTriesOfAll} AND d.removed_at IS NULL`)
  if (!row)
    await tx.all(sql`
      UPDATE phones SET code_tries = code_tries + 1
      WHERE code_hash IS NOT NULL AND code_expires_at > ${tx.now} AND code_expires_at > ${youngerThan}`)
  return row?.id
}

export const notePhone: Verb<{ deviceId: string; note: PhoneNote }, void> = each(
  async (tx, { deviceId, note }) => {
    if ('keyAt' in note) {
      await tx.all(sql`UPDATE phones SET key_at = ${note.keyAt} WHERE device_id = ${deviceId}`)
      tx.devicesChanged()
      return
    }
    const { streamAt, registration } = note
    const [before] = await tx.all<{ streamAt: number | null }>(sql`
    SELECT stream_at AS "streamAt" FROM phones
    WHERE device_id = ${deviceId} AND registration = ${registration}`)
    if (!before) return
    await tx.all(sql`
    UPDATE phones SET stream_at = ${streamAt} WHERE device_id = ${deviceId} AND registration = ${registration}`)
    // The first one is news; that it goes on is not.
    if (before.streamAt === null) tx.devicesChanged()
  },
)
