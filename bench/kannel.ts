/** Kannel, the gateway that people pick where speed counts: started as its manual says, with its queue in a file. */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../test/standins/port.ts'
import type { Generator } from './generator.ts'

const config = (folder: string, [admin, box, centre, http]: readonly number[]) => `group = core
admin-port = ${admin}
admin-password = bench
smsbox-port = ${box}
store-type = file
store-location = ${join(folder, 'store')}
log-level = 4
box-allow-ip = 127.0.0.1

group = smsc
smsc = fake
smsc-id = fake
port = ${centre}
connect-allow-ip = 127.0.0.1

group = smsbox
bearerbox-host = 127.0.0.1
sendsms-port = ${http}
log-level = 4

group = sendsms-user
username = bench
password = bench
max-messages = 10
`

export class Kannel {
  readonly port: number
  readonly #boxes: readonly ChildProcess[]

  private constructor(port: number, boxes: readonly ChildProcess[]) {
    this.port = port
    this.#boxes = boxes
  }

  static isThere(): boolean {
    return spawnSync('sh', ['-c', 'command -v bearerbox && command -v smsbox']).status === 0
  }

  /** Its messages go to a message centre that takes them all, and says nothing about them. */
  static async start(folder: string, generator: Generator): Promise<Kannel> {
    mkdirSync(folder, { recursive: true })
    const ports: number[] = []
    for (let n = 0; n < 4; n += 1) ports.push(await freePort())
    const file = join(folder, 'kannel.conf')
    writeFileSync(file, config(folder, ports))
    const [, box, centre, http] = ports as [number, number, number, number]
    const boxes = []
    for (const [program, port] of [
      ['bearerbox', box],
      ['smsbox', http],
    ] as const) {
      boxes.push(spawn(program, [file], { stdio: 'ignore' }))
      await reachable(port)
    }
    generator.sink(centre)
    return new Kannel(http, boxes)
  }

  get pids(): readonly number[] {
    return this.#boxes.map(({ pid }) => pid!)
  }

  /** A request to send a text to so many people. */
  request(recipients: number, text: string): string {
    const to = Array.from({ length: recipients }, () => '%2B1555########7').join('+')
    const query = `username=bench&password=bench&from=123&to=${to}&text=${encodeURIComponent(text)}`
    return `GET /cgi-bin/sendsms?${query} HTTP/1.1\r\nHost: 127.0.0.1:${this.port}\r\n\r\n`
  }

  async stop(): Promise<void> {
    for (const box of this.#boxes.toReversed()) {
      const ended = once(box, 'exit')
      box.kill('SIGKILL')
      await ended
    }
  }
}

async function reachable(port: number): Promise<void> {
  for (let tries = 0; tries < 300; tries += 1) {
    const socket = connect(port, '127.0.0.1')
    const isOpen = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false)
    socket.destroy()
    if (isOpen) return
    await sleep(100)
  }
  throw new Error(`nothing listens on port ${port}`)
}
