/**
 * Killed (-9) in the middle of sends, again and again: nothing answered is lost, nobody is texted twice, and a request
 * that was not answered can be repeated under its Idempotency-Key.
 */

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { sendAndRead } from '../../src/core/access/key.ts'
import { openStore } from '../../src/store/open.ts'
import { databases, scratch } from '../standins/databases.ts'
import { until } from '../standins/gateway.ts'
import { KillableGateway, untilNextKill } from '../standins/killable-gateway.ts'
import { addKey, addSimulated } from '../standins/seed.ts'

/** One whose fate is the usual one: none ends with 0001 to 0006. */
const randomRecipient = () => `+1555${Math.floor(1e6 + Math.random() * 8e6)}7`

async function prepare(database: string): Promise<string> {
  const store = await openStore(database, { now: Date.now })
  await addSimulated(store, 3)
  const key = await addKey(store, 'staging', { scopes: sendAndRead, rateLimit: null })
  await store.close()
  return key
}

/** More with `KILLS=100`, as npm run torture does. */
const rounds = Number(process.env.KILLS ?? 5)

for (const { name, empty } of databases)
  test(`killed ${rounds} times on ${name}: every answered message_id is found, none went out twice, what was not answered is repeated without a second effect`, {
    timeout: 180_000 + rounds * 10_000,
  }, async () => {
    const database = await empty()
    const ledger = join(scratch(), `ledger-${randomUUID()}`)
    const key = await prepare(database)
    const gateway = new KillableGateway({ database, ledger, kills: rounds })
    const answered: string[] = []
    const unanswered: { path: string; body: object; idempotencyKey: string }[] = []
    const ask = async (url: string, path: string, body?: object, idempotencyKey?: string) => {
      const response = await fetch(`${url}/staging/api/v1${path}`, {
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
        },
      })
      return {
        status: response.status,
        body: (await response.json()) as {
          message_id: string
          message_ids: string[]
          data: { status: string }
        },
      }
    }
    for (let round = 0; round < rounds; round += 1) {
      const url = await gateway.start()
      let killed = false
      const sender = async (n: number) => {
        while (!killed) {
          const recipients = Array.from({ length: 5 }, randomRecipient)
          const request = {
            idempotencyKey: randomUUID(),
            ...(n % 4 === 0
              ? { path: '/sms/bulk', body: { recipients, message: 'x' } }
              : { path: '/sms/send', body: { to: recipients[0], message: 'x' } }),
          }
          try {
            const { status, body } = await ask(url, request.path, request.body, request.idempotencyKey)
            assert.equal(status, 200)
            answered.push(...(body.message_ids ?? [body.message_id]))
          } catch (error) {
            if (!killed) throw error
            unanswered.push(request)
          }
        }
      }
      const before = answered.length
      const senders = Array.from({ length: 8 }, (_, n) => sender(n))
      const enough = before + untilNextKill(20)
      await until('some were answered', () => answered.length >= enough)
      killed = true
      await Promise.all([...senders, gateway.kill()])
    }
    const url = await gateway.start()
    const store = await openStore(database, { now: Date.now })
    try {
      assert.ok(answered.length >= rounds * 5, `only ${answered.length} sends were answered`)
      assert.ok(unanswered.length > 0)
      for (const { path, body, idempotencyKey } of unanswered) {
        const repeated = await ask(url, path, body, idempotencyKey)
        assert.equal(repeated.status, 200)
        answered.push(...(repeated.body.message_ids ?? [repeated.body.message_id]))
      }
      const kept = (await store.events(0, 1_000_000)).filter(
        ({ type, n }) => type === 'message.queued' && n === 1,
      )
      assert.equal(kept.length, new Set(answered).size, 'a repeated request had a second effect')
      const found = await Promise.all(answered.map(id => store.message(2, id)))
      assert.equal(found.filter(message => message === undefined).length, 0, 'an answered message is gone')
      await until('all were handed out and answered for', async () =>
        (await store.loads()).every(({ waiting }) => waiting === 0),
      )
      await until('every phone answered', async () => {
        const devices = await store.allDevices()
        const open = await Promise.all(devices.map(device => store.unanswered(device.id, 0, 10)))
        return open.every(list => list.length === 0)
      })
      const aired = existsSync(ledger)
        ? readFileSync(ledger, 'utf8')
            .trim()
            .split('\n')
            .map(line => line.split(' ')[0]!)
        : []
      assert.equal(aired.length, new Set(aired).size, 'a phone was handed a message twice')
      const statuses = await Promise.all(answered.slice(-50).map(id => ask(url, `/sms/status/${id}`)))
      assert.ok(
        statuses.every(
          ({ status, body }) => status === 200 && ['sent', 'delivered', 'failed'].includes(body.data.status),
        ),
      )
      console.log(
        `${name}: ${answered.length} answered, ${unanswered.length} requests repeated, ${aired.length} on the air`,
      )
    } finally {
      await store.close()
      gateway.end()
    }
  })
