/** The app's endpoints, as it expects them: eight calls and the address it posts to. */

import { setTimeout as sleep } from 'node:timers/promises'
import { hashCode, hashEnrolmentToken, type Phone, type Proof } from '../../core/devices/phone.ts'
import { limits } from '../../core/limits.ts'
import { Problem } from '../../core/problem.ts'
import type { Exchange } from '../../edge/exchange.ts'
import { nothingHere } from '../../edge/router.ts'
import type { EdgeRoute, Site } from '../../edge/site.ts'
import { CodeGuesses } from './code-guesses.ts'
import { aboutOf } from './from-phone.ts'
import { isSigned } from './hooks.ts'
import type { AndroidPhones } from './phones.ts'
import { Stream } from './stream.ts'
import type { Switchboard } from './switchboard.ts'
import { hooksFor, phoneBase, settingsFor } from './to-phone.ts'
import { versionOf } from './version.ts'

export type PhoneRouteParts = {
  phones: AndroidPhones
  switchboard: Switchboard
  /** The gateway's address as phones see it. Asked late: the port may be known only once the server listens. */
  publicUrl: () => string
  /** For how long to hold a refusal back from this address. */
  delay: (address: string) => number
  now: () => number
}

/** Attachments come inside the body, a third larger than they are. */
const hookLimit = limits.phoneBody.value
const deviceLimit = 65_536
const mostReports = 1_000
const badProof = 'The enrolment token or code is not valid.'

/** People type addresses with a slash at the end, and other servers have other paths. */
export function phonePath(url: string): string {
  const match = /^\/+(?:api\/+)?mobile\/+v1(\/[^?]*)?(\?.*)?$/.exec(url)
  if (!match) return url
  const path = (match[1] ?? '').replaceAll(/\/{2,}/g, '/').replace(/^\/messages(?=\/|$)/, '/message')
  return `${phoneBase}${path}${match[2] ?? ''}`
}

export function phoneSite(parts: PhoneRouteParts): Site {
  const { phones, switchboard, publicUrl, delay, now } = parts
  const guesses = new CodeGuesses(now)

  const refuse = async (exchange: Exchange, detail: string): Promise<never> => {
    await sleep(delay(exchange.ip))
    throw new Problem('invalid_phone_token', detail)
  }
  /** Exactly 401 for a token nobody knows: only that makes the app register again. */
  const known = async (exchange: Exchange): Promise<void> => {
    const phone = await phones.find(credentials(exchange, 'bearer') ?? '')
    exchange.phone = phone ?? (await refuse(exchange, 'No phone has this token.'))
  }
  const heard = (exchange: Exchange): Promise<void> =>
    phones.heard(phoneOf(exchange), aboutOf(undefined, versionOf(exchange.headers['user-agent'])))

  /** What the app may ask once it is registered. Whatever it calls its content, the handler reads it. */
  const route = (
    method: EdgeRoute['method'],
    path: string,
    handle: EdgeRoute['handle'],
    more: Partial<EdgeRoute> = {},
  ): EdgeRoute => ({
    method,
    path,
    noHead: true,
    reads: 'bytes',
    handle,
    ...more,
    enter: exchange => {
      exchange.header('cache-control', 'no-store')
      return (more.enter ?? known)(exchange)
    },
  })

  const admitPhone = async (exchange: Exchange) => {
    const about = aboutOf(jsonOf(exchange), versionOf(exchange.headers['user-agent']))
    const proof = proofOf(exchange)!
    const issuedAfter = guesses.issuedAfter(exchange.ip)
    if ('codeHash' in proof) guesses.begin(exchange.ip)
    const admitted = await phones.admit(
      'codeHash' in proof && issuedAfter !== undefined ? { ...proof, issuedAfter } : proof,
      about,
    )
    if (!admitted) return refuse(exchange, badProof)
    if ('codeHash' in proof) guesses.takeBack(exchange.ip)
    const { phone, token } = admitted
    exchange.status = 201
    return { id: phone.device.id, token, login: phone.device.name }
  }
  const changePhone = async (exchange: Exchange) => {
    const about = aboutOf(jsonOf(exchange), versionOf(exchange.headers['user-agent']))
    await phones.heard(phoneOf(exchange), about)
    return nothingToSay(exchange)
  }
  const listMessages = async (exchange: Exchange) => {
    await heard(exchange)
    return (await phones.list(phoneOf(exchange))) ?? refuse(exchange, 'This token was replaced just now.')
  }
  const takeReports = async (exchange: Exchange) => {
    const items = jsonOf(exchange)
    if (!Array.isArray(items) || items.length > mostReports)
      throw new Problem('invalid_request', `The body must be a list of at most ${mostReports} reports.`)
    await heard(exchange)
    await phones.report(phoneOf(exchange), items)
    return nothingToSay(exchange)
  }
  const tellHooks = async (exchange: Exchange) => {
    await heard(exchange)
    return hooksFor(phoneOf(exchange), appOf(exchange), publicUrl())
  }
  const tellSettings = async (exchange: Exchange) => {
    await heard(exchange)
    await phones.settled(phoneOf(exchange))
    return settingsFor(phoneOf(exchange), appOf(exchange))
  }
  const openStream = (exchange: Exchange): undefined => {
    const phone = phoneOf(exchange)
    // It disconnected during authentication: its close event has fired already and will not fire again.
    if (exchange.raw.socket.destroyed) return
    const stream: Stream = new Stream(exchange.response, phone.tokenHash!, () =>
      switchboard.leave(phone, stream),
    )
    switchboard.join(phone, stream)
  }
  const takeHook = async (exchange: Exchange) => {
    const phone = phoneOf(exchange)
    const { 'x-signature': signature, 'x-timestamp': timestamp, 'user-agent': agent } = exchange.headers
    const signed = isSigned(phone, bytesOf(exchange), headerOf(signature), headerOf(timestamp))
    // Until the phone has fetched its key it signs with one of its own; then the address alone is the secret.
    if (!signed && phone.keyAt !== null) {
      phones.signatureRefused(phone)
      throw new Problem('invalid_signature', 'The signature is not that of this phone.')
    }
    const body = jsonOf(exchange)
    if (typeof body !== 'object' || body === null || Array.isArray(body))
      throw new Problem('invalid_request', 'The body must be an object.')
    await phones.take(phone, aboutOf(undefined, versionOf(agent)), body)
    return {}
  }

  return {
    prefix: phoneBase,
    routes: [
      route('POST', '/device', admitPhone, {
        bodyLimit: deviceLimit,
        // Before the body is looked at: a stranger learns nothing but that he is one.
        enter: async exchange => {
          const proof = proofOf(exchange)
          if (!proof || !(await phones.mayAdmit(proof))) await refuse(exchange, badProof)
        },
      }),
      route('PATCH', '/device', changePhone, { bodyLimit: deviceLimit }),
      route('GET', '/device', ({ ip }) => ({ externalIp: ip }), { enter: () => {} }),
      route('GET', '/message', listMessages),
      route('PATCH', '/message', takeReports),
      route('GET', '/webhooks', tellHooks),
      route('GET', '/settings', tellSettings),
      route('GET', '/events', openStream),
      route('POST', '/hooks/:hook', takeHook, {
        bodyLimit: hookLimit,
        enter: async exchange => {
          const { hook = '' } = exchange.params
          const phone = /^[\w-]{24}$/.test(hook) ? await phones.findByHook(hook) : undefined
          exchange.phone = phone ?? nothingHere()
        },
      }),
    ],
  }
}

/** The app reads the status only. */
function nothingToSay(exchange: Exchange): string {
  exchange.status = 204
  return ''
}

const phoneOf = (exchange: Exchange): Phone => exchange.phone!
/** The version of the app that asks. */
const appOf = (exchange: Exchange): string | undefined =>
  versionOf(exchange.headers['user-agent']) ?? phoneOf(exchange).device.about.appVersion
const headerOf = (value: string | string[] | undefined) => (Array.isArray(value) ? value[0] : value)
const bytesOf = ({ body }: Exchange): Buffer => (Buffer.isBuffer(body) ? body : Buffer.alloc(0))

/**
 * Not as strict as the API's own reader: a stranger's text message may hold anything, and refusing it would lose it.
 */
function jsonOf(exchange: Exchange): unknown {
  try {
    return JSON.parse(bytesOf(exchange).toString('utf8'))
  } catch {
    throw new Problem('invalid_json', 'The body is not valid JSON.')
  }
}

function credentials(exchange: Exchange, scheme: string): string | undefined {
  const [, given, rest] = /^([a-z]+) +(.+)$/i.exec(exchange.headers.authorization ?? '') ?? []
  return given?.toLowerCase() === scheme ? rest : undefined
}

/** The app's three ways to register: a private token, a one-time code, or a name with the token as its password. */
function proofOf(exchange: Exchange): Proof | undefined {
  const token = credentials(exchange, 'bearer')
  if (token !== undefined) return { tokenHash: hashEnrolmentToken(token) }
  const code = credentials(exchange, 'code')
  if (code !== undefined) return { codeHash: hashCode(code) }
  const login = credentials(exchange, 'basic')
  if (login === undefined) return undefined
  const [, password] = /^[^:]*:(.*)$/s.exec(Buffer.from(login, 'base64').toString('utf8')) ?? []
  return password === undefined ? undefined : { tokenHash: hashEnrolmentToken(password) }
}
