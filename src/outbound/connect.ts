/** Connections to addresses that strangers choose: never to a machine that is not on the public internet. */

import { lookup as systemLookup } from 'node:dns/promises'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { hostOf, isAllowedHost, portOf } from '../core/webhooks/allowed-host.ts'
import { isPublicAddress } from '../core/webhooks/public-address.ts'

/** The address is not public, so nothing was sent there. */
export class Blocked extends Error {}

export type Guard = {
  /** `host` or `host:port` that may be private, because the operator said so. */
  allowed: ReadonlySet<string>
  /** All addresses of a name. The system's way when not given. */
  lookup?: (name: string) => Promise<string[]>
  /** Certificates to trust beside the usual ones. */
  ca?: string
}

const usualLookup = async (name: string) =>
  (await systemLookup(name, { all: true })).map(({ address }) => address)

export const isAllowed = (url: URL, { allowed }: Guard): boolean => isAllowedHost(url, allowed)

/**
 * Resolves the name once, judges what came out, and connects to exactly that: a name that means another machine a
 * moment later changes nothing. The socket's own word is looked at too, before anything is sent. TLS begins only then.
 */
export async function connectGuarded(url: URL, guard: Guard, signal: AbortSignal): Promise<Socket> {
  const host = hostOf(url)
  const found = isIP(host) === 0 ? await (guard.lookup ?? usualLookup)(host) : [host]
  const trusted = isAllowed(url, guard)
  const addresses = trusted ? found : found.filter(isPublicAddress)
  if (addresses.length === 0) throw new Blocked(`${host} is not on the public internet`)
  let last: unknown
  for (const address of addresses) {
    try {
      const socket = await opened(connectTcp({ host: address, port: portOf(url) }), 'connect', signal)
      if (!trusted && !isPublicAddress(plain(socket.remoteAddress ?? ''))) {
        socket.destroy()
        throw new Blocked(`${host} led to a machine that is not on the public internet`)
      }
      if (url.protocol !== 'https:') return socket
      const secure = connectTls({
        socket,
        ...(isIP(host) === 0 && { servername: host }),
        ...(isIP(host) !== 0 && { host }),
        ...(guard.ca !== undefined && { ca: guard.ca }),
        ALPNProtocols: ['http/1.1'],
      })
      return await opened(secure, 'secureConnect', signal)
    } catch (error) {
      if (error instanceof Blocked || signal.aborted) throw error
      last = error
    }
  }
  throw last
}

/** How the system writes an address of IPv4 on a socket of IPv6. */
const plain = (address: string) => address.replace(/^::ffff:(?=\d+\.)/i, '')

function opened<Line extends Socket>(socket: Line, event: string, signal: AbortSignal): Promise<Line> {
  return new Promise((resolve, reject) => {
    const abort = () => socket.destroy(new Error('it took too long'))
    const done = (settle: () => void) => {
      signal.removeEventListener('abort', abort)
      socket.removeListener('error', failed)
      settle()
    }
    const failed = (error: Error) =>
      done(() => {
        socket.destroy()
        reject(error)
      })
    signal.addEventListener('abort', abort)
    socket.once('error', failed)
    socket.once(event, () => done(() => resolve(socket)))
    if (signal.aborted) abort()
  })
}
