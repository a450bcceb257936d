/** The way from a gateway to its database, which a test can cut: nothing comes through, and nobody is told. */

import { connect, createServer, type Server, type Socket } from 'node:net'
import { freePort } from './port.ts'

export class Cable {
  readonly #server: Server
  readonly #port: number
  readonly #pairs = new Set<readonly [Socket, Socket]>()
  #isCut = false

  private constructor(server: Server, port: number) {
    this.#server = server
    this.#port = port
  }

  /** A cable to the server at this address. */
  static async to(url: string): Promise<Cable> {
    const { hostname, port } = new URL(url)
    const own = await freePort()
    const server = createServer()
    const cable = new Cable(server, own)
    server.on('connection', near => cable.#join(near, connect(Number(port), hostname)))
    await new Promise<void>(resolve => server.listen(own, '127.0.0.1', resolve))
    return cable
  }

  /** The same database, through this cable. */
  through(url: string): string {
    const through = new URL(url)
    through.host = `127.0.0.1:${this.#port}`
    return through.href
  }

  /** Also what is on its way stays where it is. */
  cut(): void {
    this.#isCut = true
    for (const pair of this.#pairs) for (const socket of pair) socket.pause()
  }

  mend(): void {
    this.#isCut = false
    for (const pair of this.#pairs) for (const socket of pair) socket.resume()
  }

  close(): void {
    this.#server.close()
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy()
  }

  #join(near: Socket, far: Socket): void {
    const pair = [near, far] as const
    this.#pairs.add(pair)
    for (const [from, to] of [pair, [far, near]] as const) {
      from.on('data', bytes => void to.write(bytes))
      from.on('error', () => to.destroy())
      from.on('close', () => {
        this.#pairs.delete(pair)
        to.destroy()
      })
      if (this.#isCut) from.pause()
    }
  }
}
