/** For how long one piece of work keeps everybody else waiting, with a million messages in the database. */

import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openStore } from '../src/store/open.ts'
import { Generator } from './generator.ts'
import { Server, text } from './process.ts'
import { report } from './report.ts'
import { seedPast } from './seed.ts'

const count = 1_000_000
const staging = 2
const wantedMs = 10

export async function blocking(folder: string): Promise<void> {
  const path = join(folder, 'million.db')
  await seedPast(path, count)
  const old = join(folder, 'old.db')
  copyFileSync(path, old)
  await lists(path)
  const generator = Generator.compile(folder)
  if (generator) await retention(old, generator)
  else console.log('skipped  removing what is old: it needs a C compiler (cc)')
}

async function lists(path: string): Promise<void> {
  const server = await Server.start('durable', `sqlite:${path}`)
  const asked = {
    '/metrics': () => server.metric('none'),
    'first page of messages': () => server.get('/messages'),
    'words that are nowhere': () => server.get('/messages?contains=nothing+like+it'),
    'a rare state': () => server.get('/messages?status=failed'),
    'one number': () => server.get('/messages?to=%2B15550001234'),
    conversations: () => server.get('/conversations'),
    statistics: () => server.get('/stats'),
  }
  for (const [name, ask] of Object.entries(asked)) {
    // The first of its kind also compiles what it needs.
    await ask()
    await server.blocked()
    for (let n = 0; n < 20; n += 1) await ask()
    report(`${name}: ms of work without a pause, at most`, await server.blocked(), wantedMs, '', true)
  }
  await server.stop()
}

async function retention(path: string, generator: Generator): Promise<void> {
  const store = await openStore(`sqlite:${path}`, { now: Date.now })
  const { settings } = (await store.environments()).find(({ id }) => id === staging)!
  await store.configure(staging, { ...settings, removeAfterDays: 30 })
  await store.close()
  const server = await Server.start('durable', `sqlite:${path}`)
  await server.singles(2_000)
  await server.blocked()
  const [perSecond, seconds] = [500, 20]
  const measured = await generator.run({
    port: server.port,
    connections: 16,
    requests: perSecond * seconds,
    rate: perSecond,
    request: server.request('POST', '/sms/send', { to: '+1555########', message: text }),
  })
  const most = await server.blocked()
  await server.stop()
  const removed = count + 2_000 + perSecond * seconds - messagesIn(path)
  const pace = `${Math.round(removed / measured.seconds)} removed a second`
  report('removing what is old: ms of work without a pause, at most', most, wantedMs, pace, true)
  report(`sends beside it, ${perSecond}/s, p99 in ms`, measured.p99, 20, '', true)
}

function messagesIn(path: string): number {
  const database = new DatabaseSync(path)
  const { messages } = database.prepare('SELECT COUNT(*) AS messages FROM messages').get() as {
    messages: number
  }
  database.close()
  return messages
}
