/** One GET to an address that a stranger chose, with every redirect checked again. */

import { type IncomingMessage, request } from 'node:http'
import { hostOf, portOf } from '../core/webhooks/allowed-host.ts'
import { Blocked, connectGuarded, type Guard, isAllowed } from './connect.ts'

/** It did not answer, or not with what was asked for. */
export class Unreachable extends Error {}

const mostRedirects = 3
const connectMs = 5_000
const redirects = new Set([301, 302, 303, 307, 308])

export type Got = { url: URL; response: IncomingMessage }

/** Resolves with a 200, whose body is still to be read. `signal` bounds it all. */
export async function getGuarded(
  address: string,
  guard: Guard,
  signal: AbortSignal,
  /** For this address only: whoever it redirects to must not learn them. */
  headers: Readonly<Record<string, string>> = {},
): Promise<Got> {
  let url = checked(address, guard)
  for (let hops = 0; ; hops += 1) {
    const response = await ask(url, guard, signal, hops === 0 ? headers : {})
    const { statusCode = 0 } = response
    const { location } = response.headers
    if (statusCode === 200) return { url, response }
    response.destroy()
    if (!redirects.has(statusCode) || location === undefined)
      throw new Unreachable(`${hostOf(url)} answered ${statusCode}`)
    if (hops === mostRedirects) throw new Unreachable(`more than ${mostRedirects} redirects`)
    const next = checked(new URL(location, url).href, guard)
    if (url.protocol === 'https:' && next.protocol === 'http:')
      throw new Blocked('a redirect from https to http is not followed')
    url = next
  }
}

function checked(address: string, guard: Guard): URL {
  if (!URL.canParse(address)) throw new Unreachable('the address is not well-formed')
  const url = new URL(address)
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new Blocked(`${url.protocol} is not fetched`)
  // What looks like a login is nearly always meant to deceive.
  if ((url.username !== '' || url.password !== '') && !isAllowed(url, guard))
    throw new Blocked('an address with a login in it is not fetched')
  return url
}

async function ask(
  url: URL,
  guard: Guard,
  signal: AbortSignal,
  headers: Readonly<Record<string, string>>,
): Promise<IncomingMessage> {
  const socket = await connectGuarded(url, guard, AbortSignal.any([signal, AbortSignal.timeout(connectMs)]))
  return await new Promise((resolve, reject) => {
    const call = request({
      createConnection: () => socket,
      method: 'GET',
      path: `${url.pathname}${url.search}`,
      headers: {
        host: url.host || `${hostOf(url)}:${portOf(url)}`,
        'user-agent': 'Basestation',
        accept: '*/*',
        // What is unpacked may be a thousand times as large.
        'accept-encoding': 'identity',
        connection: 'close',
        ...headers,
      },
      signal,
    })
    call.on('response', resolve)
    // Neither an answer nor an error: without these a host could keep us waiting for ever.
    call.on('upgrade', (_response, other) => {
      other.destroy()
      reject(new Unreachable(`${hostOf(url)} wants to speak another protocol`))
    })
    call.on('close', () => reject(new Unreachable(`${hostOf(url)} hung up`)))
    call.on('error', error => {
      socket.destroy()
      reject(error)
    })
    call.end()
  })
}
