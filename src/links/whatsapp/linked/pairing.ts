/** Linking a number: a QR code to scan, or a code to type, until the phone says yes. */

import { randomBytes } from 'node:crypto'
import type { BinaryNode } from 'baileys'
import type { VaultChange } from '../../../core/devices/vault.ts'
import type { Log } from '../../../core/lib/log.ts'
import { cachesFor } from './cache.ts'
import { numberOf } from './from-whatsapp.ts'
import { loadLibrary, type Socket } from './library.ts'
import { oneAtATime } from './ratchet-keys.ts'
import { openSession, Scratch } from './session.ts'
import { buildSocket } from './socket.ts'
import type { WebVersion } from './web-version.ts'

export type PairingStep =
  | { step: 'qr'; qr: string; expiresAt: number }
  | { step: 'code'; code: string }
  /** WhatsApp makes none to type. The QR code still works. */
  | { step: 'code_refused'; detail: string }
  /** The phone said yes. `session` is what the new device must remember. */
  | { step: 'linked'; number: string; session: VaultChange[] }
  | { step: 'failed'; code: 'not_scanned' | 'unreachable'; detail: string }

export type PairingOptions = {
  url?: string
  version?: WebVersion | undefined
  /** Digits of the number to make a pairing code for, beside the QR code. */
  number?: string
  signal: AbortSignal
  now: () => number
  log: Log
}

/** The first QR code lives for a minute, those after it for twenty seconds. */
const firstMs = 60_000
const nextMs = 20_000
/** The server gives six; the library ends when they are used up. */
const mostCodes = 6

/** Nothing is kept unless the phone says yes: an attempt that is given up leaves no half-linked session behind. */
export async function* pair(options: PairingOptions): AsyncGenerator<PairingStep> {
  const { url, version, number, signal, now, log } = options
  const library = await loadLibrary()
  const scratch = new Scratch()
  const session = await openSession(library, scratch)
  const steps: PairingStep[] = []
  let wake = () => {}
  const add = (step: PairingStep) => {
    steps.push(step)
    wake()
  }
  const { socket } = buildSocket({
    library,
    session,
    log,
    version,
    ...(url !== undefined && { url }),
    sent: async () => undefined,
    alone: oneAtATime(),
    caches: cachesFor(now),
    onKept: () => {},
    now,
  })
  let codes = 0
  let shown: Extract<PairingStep, { step: 'qr' }> | undefined
  const show = (qr: string, expiresAt: number) => {
    // The library keeps to the secret it began with; what the phone reads must be the one that counts.
    shown = { step: 'qr', qr: withSecret(qr, session.creds.advSecretKey), expiresAt }
    add(shown)
  }
  socket.ev.on('creds.update', () => void session.save())
  // Sent after a scan: the server now wants a code that is drawn with another secret, of the same reference.
  socket.ws.on('CB:notification,type:companion_reg_refresh', () => {
    session.creds.advSecretKey = randomBytes(32).toString('base64')
    socket.ev.emit('creds.update', { advSecretKey: session.creds.advSecretKey })
    if (shown) show(shown.qr, shown.expiresAt)
  })
  socket.ev.on('connection.update', async ({ qr, connection, lastDisconnect, isNewLogin }) => {
    if (qr !== undefined) {
      codes += 1
      show(qr, now() + (codes === 1 ? firstMs : nextMs))
      if (codes === 1 && number !== undefined) add(await codeToType(socket, number, log))
    }
    if (isNewLogin) await session.save()
    if (connection !== 'close') return
    const { output } = (lastDisconnect?.error ?? {}) as { output?: { statusCode?: number } }
    const linked = session.creds.account ? numberOf(session.creds.me?.id) : undefined
    if (output?.statusCode === 515 && linked !== undefined) {
      await session.save()
      add({ step: 'linked', number: linked, session: [...scratch.entries.values()] })
    } else if (codes >= mostCodes)
      add({ step: 'failed', code: 'not_scanned', detail: 'Nobody scanned the code in time.' })
    else if (codes > 0)
      add({ step: 'failed', code: 'unreachable', detail: 'WhatsApp ended the connection. Try again.' })
    else add({ step: 'failed', code: 'unreachable', detail: 'WhatsApp’s server cannot be reached.' })
  })
  try {
    for (;;) {
      const step = steps.shift()
      if (step) {
        yield step
        if (step.step === 'linked' || step.step === 'failed') return
      } else if (signal.aborted) return
      else
        await new Promise<void>(resolve => {
          wake = resolve
          signal.addEventListener('abort', () => resolve(), { once: true })
        })
    }
  } finally {
    await socket.end(undefined)
  }
}

/** `…#reference,noise key,identity key,secret,platform`. */
function withSecret(qr: string, secret: string): string {
  const [head, data = ''] = qr.split('#')
  const parts = data.split(',')
  parts[3] = secret
  return `${head}#${parts.join(',')}`
}

/** How long the server may take to say whether a code will do. */
const codeMs = 20_000

/** The library does not wait for the server's answer, which may be that it makes no code. */
async function codeToType(socket: Socket, number: string, log: Log): Promise<PairingStep> {
  const answer = new Promise<string | undefined>(resolve => {
    // Nothing else was asked of the server yet.
    socket.ws.once('CB:iq,type:result', () => resolve(undefined))
    socket.ws.once('CB:iq,type:error', (node: BinaryNode) => resolve(reasonOf(node)))
    setTimeout(() => resolve('it did not answer'), codeMs).unref()
  })
  try {
    const code = await socket.requestPairingCode(number)
    const refusal = await answer
    if (refusal === undefined) return { step: 'code', code }
    log.warn({ reason: refusal }, 'WhatsApp makes no code to type')
    return refused(refusal)
  } catch (error) {
    log.warn({ err: error }, 'could not get a pairing code')
    return refused('the connection ended')
  }
}

const refused = (reason: string): PairingStep => ({
  step: 'code_refused',
  detail: `WhatsApp did not issue a pairing code for this number (${reason}). Scan the QR code instead.`,
})

function reasonOf({ content }: BinaryNode): string {
  const error = Array.isArray(content) ? content.find(({ tag }) => tag === 'error') : undefined
  const { code = 'unknown', text = '' } = error?.attrs ?? {}
  return `${code} ${text}`.trim()
}
