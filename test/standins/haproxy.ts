/** The load balancer that Debian has, in front of several gateways. */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from './gateway.ts'
import { freePort } from './port.ts'

/** Undefined where there is none. */
export const hasHaproxy = (): boolean => spawnSync('haproxy', ['-v']).status === 0

/** As docs/several-nodes.md has it. */
export const configuration = (port: number, servers: readonly string[]): string => `global
  maxconn 4000

defaults
  mode http
  timeout connect 2s
  timeout client 75s
  timeout server 75s
  # A connection that could not be made was no request: it goes to another node.
  retries 3
  option redispatch

frontend basestation
  bind 127.0.0.1:${port}
  default_backend nodes

backend nodes
  balance leastconn
  option httpchk GET /readyz
  http-check expect status 200
  option forwardfor
  # A node that is merely slow is not taken for gone.
  timeout check 3s
  default-server check inter 1s fall 2 rise 1
${servers.map((server, n) => `  server node${n} ${server}`).join('\n')}
`

export class Haproxy {
  readonly url: string
  readonly #child: ChildProcess

  private constructor(url: string, child: ChildProcess) {
    this.url = url
    this.#child = child
  }

  static async start(folder: string, servers: readonly string[]): Promise<Haproxy> {
    const port = await freePort()
    const file = join(folder, 'haproxy.cfg')
    mkdirSync(folder, { recursive: true })
    writeFileSync(file, configuration(port, servers))
    const child = spawn('haproxy', ['-db', '-f', file], { stdio: 'ignore' })
    const url = `http://127.0.0.1:${port}`
    await until('the load balancer has a node', async () => {
      const answer = await fetch(`${url}/readyz`).catch(() => undefined)
      return answer?.status === 200
    })
    return new Haproxy(url, child)
  }

  stop(): void {
    this.#child.kill('SIGKILL')
  }
}
