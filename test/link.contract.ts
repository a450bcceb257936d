/** What every kind of device must do, whichever way it is reached: through a whole gateway, against its other side. */

import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { emptySqlite } from './standins/databases.ts'
import { bases, type TestGateway, until } from './standins/gateway.ts'

/** A device that is connected, and whoever is at its other end. */
export type OtherSide = {
  gateway: TestGateway
  deviceId: string
  environment: keyof typeof bases
  recipient: string
  /** One whose delivery takes its time, where the other side reports by itself. */
  slowRecipient?: string
  /** Every text that reached it so far, as often as it did. */
  taken(): Promise<string[]>
  /** It says that the text arrived, and again for as long as the gateway does not keep it. */
  deliver(text: string): Promise<void>
  /** Somebody writes to the device, and it hands that over twice; again for as long as the gateway does not keep it. */
  write?(text: string): Promise<void>
  stop(): Promise<void>
}

/** Every statement about these tables fails, as when a disk is gone. */
async function whileStorageIsAway(
  database: string,
  work: (other: DatabaseSync) => Promise<void>,
): Promise<void> {
  const tables = ['messages', 'received']
  const other = new DatabaseSync(database.slice('sqlite:'.length), { timeout: 10_000 })
  for (const table of tables) other.exec(`ALTER TABLE ${table} RENAME TO ${table}_away`)
  try {
    await work(other)
  } finally {
    for (const table of tables) other.exec(`ALTER TABLE ${table}_away RENAME TO ${table}`)
    other.close()
  }
}

export function linkContract(name: string, connect: (database: string) => Promise<OtherSide>): void {
  describe(`${name} keeps the link contract:`, () => {
    let database: string
    let side: OtherSide
    let key: string
    before(async () => {
      database = await emptySqlite()
      side = await connect(database)
      key = await side.gateway.key(side.environment, {
        scopes: ['messages:send', 'messages:read', 'inbox:read', 'devices:read'],
      })
    })
    after(() => side.stop())

    const ask = (method: string, path: string, body?: object) =>
      side.gateway.ask(method, `${bases[side.environment]}${path}`, { key, ...(body && { body }) })
    const send = async (message: string, to = side.recipient): Promise<string> => {
      const answer = await ask('POST', '/sms/send', {
        to,
        message,
        device_id: side.deviceId,
      })
      assert.equal(answer.status, 200, answer.text)
      return answer.body.message_id
    }
    const becomes = (id: string, wanted: string) =>
      until(wanted, async () => (await ask('GET', `/sms/status/${id}`)).body.data.status === wanted)
    const isTaken = (text: string) => until('it is taken', async () => (await side.taken()).includes(text))
    const received = async (): Promise<string[]> =>
      (await ask('GET', '/messages/received')).body.data.map(({ message }: { message: string }) => message)
    const times = (list: readonly string[], text: string) => list.filter(one => one === text).length

    test('it is online once it is', async () => {
      await until('online', async () => {
        const { body } = await ask('GET', `/devices/${side.deviceId}`)
        return body.data.status === 'online'
      })
    })
    test('a message reaches the other side once, and what became of it is told to the end', async () => {
      const id = await send('once')
      await isTaken('once')
      await side.deliver('once')
      await becomes(id, 'delivered')
      assert.equal(times(await side.taken(), 'once'), 1)
    })
    test('a report that could not be stored is told again', async () => {
      const id = await send('reported twice', side.slowRecipient)
      await isTaken('reported twice')
      let delivery: Promise<void> | undefined
      await whileStorageIsAway(database, async other => {
        const [row] = other.prepare('SELECT status FROM messages_away WHERE id = ?').all(id)
        assert.notEqual(row!.status, 'delivered', 'not yet')
        assert.ok((await ask('GET', `/sms/status/${id}`)).status >= 500)
        delivery = side.deliver('reported twice')
        // Long enough that it was told, and could not be stored.
        await sleep(1_200)
      })
      await delivery
      await becomes(id, 'delivered')
      assert.equal(times(await side.taken(), 'reported twice'), 1)
    })
    test('what somebody writes is received once, though it is handed over twice', async context => {
      if (!side.write) return context.skip('nobody writes to it')
      await side.write('hello')
      // What comes after it is there: so would be a second copy.
      await side.write('and another')
      await until('received', async () => (await received()).includes('and another'))
      assert.equal(times(await received(), 'hello'), 1)
    })
    test('what somebody writes while nothing can be stored is received later, once', async context => {
      if (!side.write) return context.skip('nobody writes to it')
      let writing: Promise<void> | undefined
      await whileStorageIsAway(database, async () => {
        writing = side.write!('in the meantime')
        await sleep(500)
      })
      await writing
      await side.write('and after it')
      await until('received', async () => (await received()).includes('and after it'))
      await until('received', async () => (await received()).includes('in the meantime'))
      assert.equal(times(await received(), 'in the meantime'), 1)
    })
  })
}
