/** Fills databases for the benchmarks: a large inbox, a large backlog. */

import { randomUUIDv7 } from 'node:crypto'
import { migrate } from '../src/store/engine/migrate.ts'
import { sql, values } from '../src/store/engine/sql.ts'
import { SqliteDriver } from '../src/store/engine/sqlite.ts'
import { openStore } from '../src/store/open.ts'

const staging = 2
const step = 2_000

export type Inbox = { devices: string[]; senders: string[]; start: number; end: number }

/** Messages over a year, to ten devices from five thousand people, busy ones and quiet ones. */
export async function seedInbox(path: string, count: number): Promise<Inbox> {
  const store = await openStore(`sqlite:${path}`, { now: Date.now })
  const devices: string[] = []
  for (let n = 0; n < 10; n += 1) {
    const draft = {
      environmentId: staging,
      kind: 'android',
      name: `Phone ${n}`,
      phone: '',
      perMinute: null,
      perDay: null,
    } as const
    devices.push((await store.enrol(draft)).id)
  }
  await store.close()
  const senders = Array.from({ length: 5_000 }, (_, n) => `+1555${1_000_000 + n}`)
  const start = Date.UTC(2025, 10, 1)
  const spacing = Math.floor((365 * 86_400_000) / count)
  const numbers = new Map<string, number>()
  const next = (list: string) => {
    const n = (numbers.get(list) ?? 0) + 1
    numbers.set(list, n)
    return n
  }
  /** The first are chosen far more often than the last. */
  const skewed = (n: number, size: number) =>
    Math.floor(size * (((n * 2_654_435_761) % 1_000_003) / 1_000_003) ** 3)
  const driver = new SqliteDriver(path)
  await migrate(driver, Date.now)
  const columns = {
    seq: 'bigint',
    id: 'text',
    environment_id: 'bigint',
    device_id: 'text',
    sender: 'text',
    text: 'text',
    type: 'text',
    metadata: 'text',
    received_at: 'bigint',
    n_all: 'bigint',
    n_device: 'bigint',
    n_sender: 'bigint',
    n_device_sender: 'bigint',
  } as const
  for (let at = 0; at < count; at += step)
    await driver.transact(async connection => {
      const items = Array.from({ length: Math.min(step, count - at) }, (_, offset) => {
        const n = at + offset
        const [device, sender] = [
          devices[skewed(n, devices.length)]!,
          senders[skewed(n * 7 + 3, senders.length)]!,
        ]
        return {
          seq: n + 1_000,
          id: randomUUIDv7(),
          environment_id: staging,
          device_id: device,
          sender,
          text: `Message ${n}`,
          type: 'sms',
          metadata: '{"sim_slot":1}',
          received_at: start + n * spacing,
          n_all: next('all'),
          n_device: next(device),
          n_sender: next(sender),
          n_device_sender: next(device + sender),
        }
      })
      await connection.all(sql`INSERT INTO received ${values(columns, items)}`)
    })
  await driver.transact(async connection => {
    await connection.all(sql`UPDATE counters SET value = ${count + 1_000} WHERE name = 'journal'`)
  })
  await driver.close()
  return { devices, senders, start, end: start + count * spacing }
}

/** So many messages queued for one device. Returns its id. */
export async function seedBacklog(path: string, count: number): Promise<string> {
  const store = await openStore(`sqlite:${path}`, { now: Date.now })
  const draft = {
    environmentId: staging,
    kind: 'simulated',
    name: 'Busy',
    phone: '',
    perMinute: null,
    perDay: null,
  } as const
  const device = await store.enrol(draft)
  for (let at = 0; at < count; at += step)
    await store.accept(
      Array.from({ length: step }, (_, offset) => ({
        id: randomUUIDv7(),
        environmentId: staging,
        batchId: null,
        deviceId: device.id,
        pinned: false,
        recipient: `+1555${1_000_000 + at + offset}`,
        text: 'Your parcel is ready. Pick it up until Friday, 6 pm, at the counter.',
        mediaUrl: null,
        simSlot: null,
        parts: 1,
        expiresAt: Date.now() + 86_400_000,
      })),
    )
  await store.close()
  return device.id
}

/** So many messages delivered forty days ago, each with its three events. */
export async function seedPast(path: string, count: number): Promise<void> {
  const deviceId = await seedBacklog(path, 0)
  const driver = new SqliteDriver(path)
  const then = Date.now() - 40 * 86_400_000
  const same = { environment_id: staging, device_id: deviceId }
  for (let at = 0; at < count; at += step)
    await driver.transact(async connection => {
      const seqs = Array.from(
        { length: Math.min(step, count - at) },
        (_, offset) => 1_000 + 3 * (at + offset),
      )
      const messages = seqs.map(seq => ({
        seq,
        id: randomUUIDv7(),
        recipient: 15_550_000_000_000 + ((seq * 7_919_771) % 8_999_993),
      }))
      const types = { seq: 'bigint', id: 'text', recipient: 'bigint' } as const
      const told = {
        ...same,
        text: 'Your parcel is ready. Pick it up until Friday, 6 pm, at the counter.',
        status: 'delivered',
        pinned: 0,
        parts: 1,
        created_at: then,
        expires_at: then + 86_400_000,
        sent_at: then,
        delivered_at: then,
      }
      await connection.all(sql`INSERT INTO messages ${values(types, messages, told)}`)
      const happened = seqs.flatMap(seq =>
        ['message.queued', 'message.sent', 'message.delivered'].map((type, n) => ({
          seq: seq + n,
          type,
          message_seq: seq,
          n: n + 1,
        })),
      )
      const eventTypes = { seq: 'bigint', type: 'text', message_seq: 'bigint', n: 'bigint' } as const
      await connection.all(
        sql`INSERT INTO events ${values(eventTypes, happened, { ...same, at: then, data: '{}' })}`,
      )
    })
  const last = 1_000 + 3 * count
  await driver.transact(async connection => {
    await connection.all(sql`UPDATE counters SET value = ${last} WHERE name = 'journal' OR name = 'tally'`)
  })
  await driver.close()
}
