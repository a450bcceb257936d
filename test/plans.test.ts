/** How SQLite finds what it is asked for: every statement that a gateway runs, as it runs it. The wrong index would read a device's whole past. */

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { scopes } from '../src/core/access/key.ts'
import { emptySqlite } from './standins/databases.ts'
import { startGateway, until } from './standins/gateway.ts'

/** What grows for as long as the gateway is used. */
const large = ['messages', 'received', 'events', 'deliveries', 'media']
/** What is asked all the time has an index of its own: any other would read a device's whole past. */
const ownIndex: readonly [statement: RegExp, index: RegExp][] = [
  [/^SELECT .* FROM messages\s+WHERE device_id = \? AND status = 'queued' AND held = 0/s, /messages_queued/],
  [
    /^SELECT .* FROM messages\s+WHERE device_id = \? AND status = 'sending' AND held = 0/s,
    /messages_sending/,
  ],
  [/^SELECT due_at .* FROM messages WHERE status = 'scheduled' AND held = 0/s, /messages_scheduled/],
  [
    / FROM messages\s+WHERE environment_id = \? AND \(status = 'scheduled' OR .* ORDER BY seq/s,
    /messages_rare/,
  ],
  [/ FROM deliveries\s+WHERE webhook_id = \? AND due_at IS NOT NULL/s, /deliveries_due/],
]

const folder = join(import.meta.dirname, '../src/store/migrations')
const migrations = readdirSync(folder)
  .map(name => readFileSync(join(folder, name), 'utf8'))
  .join('')

test('no statement of a gateway reads a large table from end to end, or sorts it', async () => {
  const statements = new Set<string>()
  const { prepare } = DatabaseSync.prototype
  DatabaseSync.prototype.prepare = function (this: DatabaseSync, text: string, ...rest: []) {
    statements.add(text.trim().replace(/^(INSERT|UPDATE) OR FAIL/, '$1'))
    return prepare.call(this, text, ...rest)
  }
  const database = await emptySqlite()
  const gateway = await startGateway({ database, settings: { WEBHOOK_ALLOW_HOSTS: '127.0.0.1:9' } })
  const key = await gateway.key('staging', { scopes })
  const device = await gateway.device('staging')
  await gateway.fleet.refresh()
  const ask = async (method: string, path: string, body?: object) => {
    const answer = await gateway.ask(method, `/staging/api/v1${path}`, { key, body })
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`)
    return answer.body
  }
  const number = '+15550100005'
  await ask('POST', '/webhooks', { url: 'http://127.0.0.1:9/hook' })
  const later = { send_at: new Date(Date.now() + 3_600_000).toISOString() }
  const { message_id } = await ask('POST', '/sms/send', { to: number, message: 'x' })
  await ask('POST', '/sms/bulk', { recipients: ['+15550100001', '+15550101235'], message: 'x' })
  const scheduled = await ask('POST', '/sms/send', { to: '+15550101236', message: 'x', ...later })
  await ask('POST', `/messages/${scheduled.message_id}/cancel`)
  await until('it is answered', async () => (await ask('GET', '/messages/received')).data.length === 1)
  const since = encodeURIComponent(new Date(Date.now() - 3_600_000).toISOString())
  const person = encodeURIComponent(number)
  for (const query of [
    '',
    'status=failed',
    'status=queued',
    'status=sending',
    'status=delivered',
    `to=${person}`,
    `device_id=${device.id}`,
    'contains=x',
    `since=${since}`,
  ])
    await ask('GET', `/messages?${query}`)
  for (const query of ['', `device_id=${device.id}`, `from=${person}`, `since=${since}`, 'page=2'])
    await ask('GET', `/messages/received?${query}`)
  for (const path of [
    `/messages/${message_id}`,
    `/sms/status/${message_id}`,
    '/conversations',
    `/conversations/${person}`,
    '/events',
    '/stats',
    '/opt-outs',
    '/devices',
    '/keys',
    '/settings',
    '/webhooks',
  ])
    await ask('GET', path)
  await ask('POST', `/conversations/${person}/read`)
  await ask('PATCH', '/settings', { forget_texts_after_days: 1, remove_after_days: 7 })
  await gateway.sweeper.sweep()
  await ask('DELETE', `/people/${person}`)
  await gateway.stop()
  DatabaseSync.prototype.prepare = prepare

  const reader = new DatabaseSync(database.slice('sqlite:'.length))
  const plans = [...statements]
    // Migrations run once, and on columns that may be gone afterwards.
    .filter(text => /^(SELECT|UPDATE|DELETE|WITH)\b/i.test(text) && !migrations.includes(text))
    .map(text => {
      const rows = reader.prepare(`EXPLAIN QUERY PLAN ${text}`).all() as { detail: string }[]
      return { text, details: rows.map(({ detail }) => detail) }
    })
  reader.close()
  assert.ok(plans.length > 100, `${plans.length} statements were seen`)
  assert.deepEqual(plans.filter(isSlow), [])
  for (const [statement, index] of ownIndex) {
    const found = plans.filter(({ text }) => statement.test(text))
    assert.ok(found.length > 0, `no statement is like ${statement}`)
    for (const { text, details } of found) assert.match(details.join('; '), index, text)
  }
})

function isSlow({ text, details }: { text: string; details: readonly string[] }): boolean {
  const names = [...text.matchAll(/\b(?:FROM|JOIN|UPDATE) (\w+)(?: (?:AS )?([a-z]\w*))?/g)]
    .filter(([, table]) => large.includes(table!))
    .flatMap(([, table, alias]) => [table!, ...(alias === undefined ? [] : [alias])])
  return details.some(detail => {
    const scanned = /^SCAN (\w+)$/.exec(detail)?.[1]
    const isSorted = names.length > 0 && detail.includes('TEMP B-TREE FOR ORDER BY')
    return isSorted || (scanned !== undefined && names.includes(scanned))
  })
}
