/** npm start, as people run it and as supervisors end it. */

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { scratch } from '../standins/databases.ts'
import { until } from '../standins/gateway.ts'
import { freePort } from '../standins/port.ts'

const isOpen = (port: number) =>
  new Promise<boolean>(resolve => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })

test('SIGTERM to npm start ends the gateway, not only npm', async () => {
  const port = await freePort()
  const npm = spawn('npm', ['start'], {
    cwd: join(import.meta.dirname, '../..'),
    env: { ...process.env, PORT: String(port), DATA_DIR: mkdtempSync(join(scratch(), 'start-')) },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let said = ''
  npm.stdout.on('data', chunk => {
    said += chunk
  })
  await until('it runs', () => said.includes('Stop the gateway with Ctrl-C.'))
  assert.equal(await isOpen(port), true)
  npm.kill('SIGTERM')
  await once(npm, 'exit')
  await until('nobody listens any more', async () => !(await isOpen(port)))
})
