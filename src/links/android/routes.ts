/** The app's endpoints, as it expects them: eight calls and the address it posts to. */

import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { hashCode, hashEnrolmentToken, type Phone, type Proof } from '../../core/devices/phone.ts'
import { limits } from '../../core/limits.ts'
import { Problem } from '../../core/problem.ts'
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
const mostReports = 1_000
const badProof = 'The enrolment token or code is not valid.'

/** People type addresses with a slash at the end, and other servers have other paths. */
export function phonePath(url: string): string {
  const match = /^\/+(?:api\/+)?mobile\/+v1(\/[^?]*)?(\?.*)?$/.exec(url)
  if (!match) return url
  const path = (match[1] ?? '').replaceAll(/\/{2,}/g, '/').replace(/^\/messages(?=\/|$)/, '/message')
  return `${phoneBase}${path}${match[2] ?? ''}`
}

/** Registers the routes in a scope of their own, under `phoneBase`. */
export function phoneRoutes(app: FastifyInstance, parts: PhoneRouteParts): void {
  const { phones, switchboard, publicUrl, delay, now } = parts
  const guesses = new CodeGuesses(now)
  // Whatever the app calls its content: the handler reads it, after it knows who is speaking.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.decorateRequest('phone', null)
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('cache-control', 'no-store')
  })

  const refuse = async (request: FastifyRequest, detail: string): Promise<never> => {
    await sleep(delay(request.ip))
    throw new Problem('invalid_phone_token', detail)
  }
  /** Exactly 401 for a token nobody knows: only that makes the app register again. */
  const known = async (request: FastifyRequest): Promise<void> => {
    const phone = await phones.find(credentials(request, 'bearer') ?? '')
    request.phone = phone ?? (await refuse(request, 'No phone has this token.'))
  }
  const heard = (request: FastifyRequest): Promise<void> =>
    phones.heard(phoneOf(request), aboutOf(undefined, versionOf(request.headers['user-agent'])))
  const options = { onRequest: known, exposeHeadRoute: false }

  app.post(
    '/device',
    {
      bodyLimit: 65_536,
      // Before the body is looked at: a stranger learns nothing but that he is one.
      onRequest: async request => {
        const proof = proofOf(request)
        if (!proof || !(await phones.mayAdmit(proof))) await refuse(request, badProof)
      },
    },
    async (request, reply) => {
      const about = aboutOf(jsonOf(request), versionOf(request.headers['user-agent']))
      const proof = proofOf(request)!
      const issuedAfter = guesses.issuedAfter(request.ip)
      if ('codeHash' in proof) guesses.begin(request.ip)
      const admitted = await phones.admit(
        'codeHash' in proof && issuedAfter !== undefined ? { ...proof, issuedAfter } : proof,
        about,
      )
      if (!admitted) return refuse(request, badProof)
      if ('codeHash' in proof) guesses.takeBack(request.ip)
      const { phone, token } = admitted
      reply.code(201)
      return { id: phone.device.id, token, login: phone.device.name }
    },
  )
  app.patch('/device', { ...options, bodyLimit: 65_536 }, async (request, reply) => {
    const about = aboutOf(jsonOf(request), versionOf(request.headers['user-agent']))
    await phones.heard(phoneOf(request), about)
    return reply.code(204).send()
  })
  app.get('/device', { exposeHeadRoute: false }, async request => ({ externalIp: request.ip }))

  app.get('/message', options, async request => {
    await heard(request)
    return (await phones.list(phoneOf(request))) ?? refuse(request, 'This token was replaced just now.')
  })
  app.patch('/message', options, async (request, reply) => {
    const items = jsonOf(request)
    if (!Array.isArray(items) || items.length > mostReports)
      throw new Problem('invalid_request', `The body must be a list of at most ${mostReports} reports.`)
    await heard(request)
    await phones.report(phoneOf(request), items)
    return reply.code(204).send()
  })

  app.get('/webhooks', options, async request => {
    await heard(request)
    return hooksFor(phoneOf(request), appOf(request), publicUrl())
  })
  app.get('/settings', options, async request => {
    await heard(request)
    await phones.settled(phoneOf(request))
    return settingsFor(phoneOf(request), appOf(request))
  })
  app.get('/events', options, (request, reply) => {
    const phone = phoneOf(request)
    reply.hijack()
    // It hung up while we looked who it is: its end was told already, and would never be told again.
    if (request.raw.socket.destroyed) return
    const stream: Stream = new Stream(reply.raw, phone.tokenHash!, () => switchboard.leave(phone, stream))
    switchboard.join(phone, stream)
  })

  app.post<{ Params: { hook: string } }>(
    '/hooks/:hook',
    {
      bodyLimit: hookLimit,
      onRequest: async request => {
        const { hook } = request.params as { hook: string }
        const phone = /^[\w-]{24}$/.test(hook) ? await phones.findByHook(hook) : undefined
        if (!phone) throw new Problem('not_found', 'There is nothing at this address.')
        request.phone = phone
      },
    },
    async request => {
      const phone = phoneOf(request)
      const { 'x-signature': signature, 'x-timestamp': timestamp, 'user-agent': agent } = request.headers
      const signed = isSigned(phone, bytesOf(request), headerOf(signature), headerOf(timestamp))
      // Until the phone has fetched its key it signs with one of its own; then the address alone is the secret.
      if (!signed && phone.keyAt !== null) {
        phones.signatureRefused(phone)
        throw new Problem('invalid_signature', 'The signature is not that of this phone.')
      }
      const body = jsonOf(request)
      if (typeof body !== 'object' || body === null || Array.isArray(body))
        throw new Problem('invalid_request', 'The body must be an object.')
      await phones.take(phone, aboutOf(undefined, versionOf(agent)), body)
      return {}
    },
  )
}

declare module 'fastify' {
  interface FastifyRequest {
    phone: Phone | null
  }
}

const phoneOf = (request: FastifyRequest): Phone => request.phone!
/** The version of the app that asks. */
const appOf = (request: FastifyRequest): string | undefined =>
  versionOf(request.headers['user-agent']) ?? phoneOf(request).device.about.appVersion
const headerOf = (value: string | string[] | undefined) => (Array.isArray(value) ? value[0] : value)
const bytesOf = ({ body }: FastifyRequest): Buffer => (Buffer.isBuffer(body) ? body : Buffer.alloc(0))

/**
 * Not as strict as the API's own reader: a stranger's text message may hold anything, and refusing it would lose it.
 */
function jsonOf(request: FastifyRequest): unknown {
  try {
    return JSON.parse(bytesOf(request).toString('utf8'))
  } catch {
    throw new Problem('invalid_json', 'The body is not valid JSON.')
  }
}

function credentials(request: FastifyRequest, scheme: string): string | undefined {
  const [, given, rest] = /^([a-z]+) +(.+)$/i.exec(request.headers.authorization ?? '') ?? []
  return given?.toLowerCase() === scheme ? rest : undefined
}

/** The app's three ways to register: a private token, a one-time code, or a name with the token as its password. */
function proofOf(request: FastifyRequest): Proof | undefined {
  const token = credentials(request, 'bearer')
  if (token !== undefined) return { tokenHash: hashEnrolmentToken(token) }
  const code = credentials(request, 'code')
  if (code !== undefined) return { codeHash: hashCode(code) }
  const login = credentials(request, 'basic')
  if (login === undefined) return undefined
  const [, password] = /^[^:]*:(.*)$/s.exec(Buffer.from(login, 'base64').toString('utf8')) ?? []
  return password === undefined ? undefined : { tokenHash: hashEnrolmentToken(password) }
}
