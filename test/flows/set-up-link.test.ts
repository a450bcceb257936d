/** The ways into the dashboard for whoever has the machine: printed at each start, and made by commands. */

import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { scratch } from '../standins/databases.ts'
import { until } from '../standins/gateway.ts'
import { freePort } from '../standins/port.ts'
import { passedOn } from '../standins/program.ts'
import { Visitor } from '../standins/visitor.ts'

const program = join(import.meta.dirname, '../../src/cli/basestation.ts')

test('every start prints a fresh set-up link until one was used; setup-link and users reset make others', async () => {
  const folder = scratch()
  const port = String(await freePort())
  const env = { ...passedOn(), DATA_DIR: folder, DATABASE_URL: `sqlite:${join(folder, 'x.db')}`, PORT: port }
  const command = (...words: string[]) =>
    execFileSync(process.execPath, [program, ...words], { env, encoding: 'utf8' })
  const tokenIn = (text: string) => /\/(?:setup|welcome)#([\w-]{20,})/.exec(text)?.[1]
  const start = async () => {
    const child = spawn(process.execPath, [program, 'serve'], { env })
    let printed = ''
    child.stdout.on('data', chunk => {
      printed += chunk
    })
    await until('it listens', () => /Dashboard +http.*\n/.test(printed))
    return {
      printed: () => printed,
      stop: async () => {
        child.kill()
        await once(child, 'exit')
      },
    }
  }
  const visitor = () => new Visitor(`http://127.0.0.1:${port}`)
  const use = (token: string | undefined, more: object) =>
    visitor().ask('POST', '/session/links/use', { token, password: 'four words make one', ...more })

  let gateway = await start()
  const first = tokenIn(gateway.printed())
  await gateway.stop()
  gateway = await start()
  const second = tokenIn(gateway.printed())
  const made = tokenIn(command('setup-link'))
  assert.equal(new Set([first, second, made]).size, 3)
  assert.equal((await use(made, { email: 'owner@example.org' })).status, 200)
  assert.equal((await use(made, { email: 'other@example.org' })).status, 410)
  assert.equal((await use(second, { email: 'other@example.org' })).status, 410)
  const again = tokenIn(command('users', 'reset', 'owner@example.org'))
  assert.equal((await use(again, { password: 'another four words' })).status, 200)
  assert.throws(() => command('setup-link'), /set up/)
  await gateway.stop()
  gateway = await start()
  assert.equal(tokenIn(gateway.printed()), undefined)
  await gateway.stop()
})
