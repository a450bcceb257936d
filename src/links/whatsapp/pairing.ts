/** Linking a number: a QR code to scan, or a code to type, until the phone says yes. */

import type { Log } from '../../core/log.ts'
import type { VaultChange } from '../../core/vault.ts'
import { cachesFor } from './cache.ts'
import { oneAtATime } from './conversations.ts'
import { numberOf } from './from-whatsapp.ts'
import { loadLibrary } from './library.ts'
import { openSession, Scratch } from './session.ts'
import { buildSocket } from './socket.ts'

export type PairingStep =
  | { step: 'qr'; qr: string; expiresAt: number }
  | { step: 'code'; code: string }
  /** The phone said yes. `session` is what the new device must remember. */
  | { step: 'linked'; number: string; session: VaultChange[] }
  | { step: 'failed'; code: 'not_scanned' | 'unreachable'; detail: string }

export type PairingOptions = {
  url?: string
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
  const { url, number, signal, now, log } = options
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
    ...(url !== undefined && { url }),
    sent: async () => undefined,
    alone: oneAtATime(),
    caches: cachesFor(now),
    onKept: () => {},
    now,
  })
  let codes = 0
  socket.ev.on('creds.update', () => void session.save())
  socket.ev.on('connection.update', async ({ qr, connection, lastDisconnect, isNewLogin }) => {
    if (qr !== undefined) {
      codes += 1
      add({ step: 'qr', qr, expiresAt: now() + (codes === 1 ? firstMs : nextMs) })
      if (codes === 1 && number !== undefined)
        await socket.requestPairingCode(number).then(
          code => add({ step: 'code', code }),
          error => log.warn({ err: error }, 'no pairing code could be had'),
        )
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
