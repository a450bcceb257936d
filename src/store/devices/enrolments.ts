/** A new device with all that belongs to it, in one step. */

import { randomUUIDv7 } from 'node:crypto'
import type { Device } from '../../core/devices/device.ts'
import type { DeviceDraft } from '../../core/devices/device-draft.ts'
import { kindOf } from '../../core/devices/kinds/kinds.ts'
import { sql } from '../engine/sql.ts'
import { each, type Verb } from '../engine/verb.ts'
import { device, tell } from './devices.ts'
import { inviteOne } from './phones.ts'
import { vaultWrite } from './vault.ts'

export const enrol: Verb<DeviceDraft, Device> = each(async (tx, draft) => {
  const { id = randomUUIDv7(), invitation, secrets = [] } = draft
  await tx.all(sql`
      INSERT INTO devices (id, environment_id, kind, name, phone, per_minute, per_day, driver, about, attention, created_at)
      VALUES (${id}, ${draft.environmentId}, ${draft.kind}, ${draft.name}, ${draft.phone}, ${draft.perMinute},
        ${draft.perDay}, ${draft.driver ?? null}, ${JSON.stringify(draft.about ?? {})},
        ${JSON.stringify(kindOf(draft).firstAttention)}, ${tx.now})`)
  await tx.all(sql`INSERT INTO loads (device_id) VALUES (${id})`)
  if (invitation) await inviteOne(tx, id, invitation)
  if (secrets.length > 0) await vaultWrite(tx, [{ deviceId: id, changes: secrets }])
  const fresh = (await device(tx, id))!
  await tell(tx, 'device.added', fresh, { kind: fresh.kind, name: fresh.name })
  return fresh
})
