/** Things made to take memory, time or places from others: a real process, whose memory is looked at from outside. */

import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { scratch } from '../standins/databases.ts'
import { freePort } from '../standins/port.ts'
import { Program } from '../standins/program.ts'

/** BOMBS=10 makes them ten times as many. */
const scale = Number(process.env.BOMBS ?? 1)
const skip = process.platform !== 'linux' && 'memory is read from /proc'

describe('bombs', { skip }, () => {
  let program: Program
  let gateway: ChildProcess
  let port = 0
  let key = ''
  const sockets: Socket[] = []
  before(async () => {
    port = await freePort()
    program = new Program({
      DATA_DIR: mkdtempSync(join(scratch(), 'bombs-')),
      PORT: String(port),
      RATE_LIMIT: '1000000',
      MAX_CONNECTIONS: '3000',
    })
    gateway = await program.serve()
    key = (await program.json('keys create --name bombs --environment staging')).key
    for (let n = 0; n < 200; n += 1) await send()
  })
  after(async () => {
    for (const socket of sockets) socket.destroy()
    gateway.kill('SIGKILL')
  })

  const megabytes = () =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${gateway.pid}/status`, 'utf8'))![1]) / 1_024
  const ask = (path: string, body: string, headers: Record<string, string> = {}) =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...headers },
    })
  async function send(): Promise<number> {
    const body = JSON.stringify({ to: '+15550101234', message: 'x' })
    const response = await ask('/staging/api/v1/sms/send', body, { authorization: `Bearer ${key}` })
    await response.text()
    return response.status
  }
  const open = async (text: string): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1')
    sockets.push(socket)
    socket.on('error', () => {})
    await once(socket, 'connect')
    socket.write(text)
    return socket
  }
  /** Lets something happen, and looks whether others are served all the while and memory stays where it was. */
  const withstands = async (most: number, work: () => Promise<unknown>) => {
    const before = megabytes()
    let isOver = false
    let peak = before
    let served = 0
    const others = (async () => {
      while (!isOver) {
        assert.equal(await send(), 200)
        served += 1
        peak = Math.max(peak, megabytes())
      }
    })()
    await work()
    isOver = true
    await others
    assert.ok(served > 0, 'nobody else was served')
    assert.ok(peak - before < most, `memory grew from ${before.toFixed(0)} to ${peak.toFixed(0)} MiB`)
    assert.equal(gateway.exitCode, null)
  }

  test('JSON of many keys, deep, long and doubled is refused, and costs little', async () => {
    const bodies = [
      `{${Array.from({ length: 90_000 }, (_, n) => `"k${n}":0`).join(',')}}`,
      '['.repeat(1_000_000),
      `${'{"a":'.repeat(150_000)}1`,
      `{"email":"${'x'.repeat(1_000_000)}"}`,
      `[${'1,'.repeat(500_000)}1]`,
      `{"a":"${'\\u0041'.repeat(160_000)}"}`,
      `{"recipients":[${'"x",'.repeat(200_000)}"x"],"message":"x"}`,
    ]
    await withstands(250, async () => {
      for (let round = 0; round < 5 * scale; round += 1)
        await Promise.all(
          bodies.flatMap(body =>
            ['/session/login', '/staging/api/v1/sms/bulk', '/whatsapp/v1/webhook', '/mobile/v1/device'].map(
              async path => {
                const headers = { authorization: `Bearer ${key}`, 'sec-fetch-site': 'same-origin' }
                const response = await ask(path, body, headers).catch(() => undefined)
                // Some are hung up on before they have said it all.
                if (response)
                  assert.ok(response.status >= 400 && response.status < 500, `${path} ${response.status}`)
                await response?.body?.cancel()
              },
            ),
          ),
        )
    })
  })
  test('bodies that never end take no memory that they have not sent', async () => {
    await withstands(200, async () => {
      const chunk = 'x'.repeat(64_000)
      for (let n = 0; n < 200 * scale; n += 1) {
        const socket = await open(
          `POST /whatsapp/v1/webhook HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 4000000\r\nX-Hub-Signature-256: sha256=${'0'.repeat(64)}\r\n\r\n`,
        )
        for (let part = 0; part < 60; part += 1) socket.write(chunk)
      }
    })
  })
  test('connections that say nothing, say it slowly, or close only one side keep nobody waiting', async () => {
    await withstands(150, async () => {
      for (let n = 0; n < 500; n += 1) await open('')
      for (let n = 0; n < 500; n += 1) await open(`GET /healthz HTTP/1.1\r\nHost: x\r\nX-${n}:`)
      for (let n = 0; n < 100; n += 1) {
        const socket = await open('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')
        socket.end()
      }
    })
  })
  test('more connections than there may be are hung up on, and those there are go on', async () => {
    await withstands(150, async () => {
      const crowd = await Promise.all(Array.from({ length: 3_000 }, () => open('').catch(() => undefined)))
      await new Promise(resolve => setTimeout(resolve, 200))
      assert.ok(crowd.some(socket => socket === undefined || socket.destroyed || socket.readableEnded))
      for (const socket of sockets.splice(0)) socket.destroy()
    })
    assert.equal(await send(), 200)
  })
})
