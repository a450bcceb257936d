/** Answers that come piece by piece. */

import type { Event } from './api.ts'
import { BasestationError } from './error.ts'
import type { Transport } from './transport.ts'

/** A linking attempt ends by itself before. */
const longestLinkMs = 300_000
/** A stream of events has no end; timers have one. */
const longestMs = 2 ** 31 - 1
/** The gateway says something every quarter of a minute: longer silence means that nobody is there. */
const silentMs = 45_000
const comeBackMs = 1_000
const mostComeBackMs = 30_000

/** Not every browser can loop over a body by itself. */
async function* piecesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    // Whoever leaves the loop leaves the line.
    await reader.cancel().catch(() => {})
  }
}

const bodyOf = async ({ body }: Response) => (body ? piecesOf(body) : undefined)

/** The lines of an answer as they come. Leaving the loop ends the request. */
export async function* lines<Line>(transport: Transport, path: string, body?: unknown): AsyncGenerator<Line> {
  const asked = { method: 'POST', path, body, timeoutMs: longestLinkMs } as const
  const pieces = await transport.once(asked, bodyOf)
  for await (const line of split(pieces!, '\n')) yield JSON.parse(line) as Line
}

/** Events as they happen, over as many connections as it takes. */
export async function* stream(
  transport: Transport,
  query: string,
  after: string | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<Event> {
  let last = after
  for (let failures = 0; !signal?.aborted; ) {
    try {
      for await (const { id, event } of once(transport, query, last, signal)) {
        failures = 0
        last = id ?? last
        if (event) yield event
      }
    } catch (error) {
      if (signal?.aborted) return
      // A refusal will be one the next time too; anything else passes.
      if (error instanceof BasestationError && error.status < 500 && error.status !== 429) throw error
    }
    failures += 1
    await new Promise(resolve => setTimeout(resolve, Math.min(mostComeBackMs, comeBackMs * failures)))
  }
}

async function* once(
  transport: Transport,
  query: string,
  lastEventId: string | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<{ id?: string; event?: Event }> {
  const silence = new AbortController()
  const listen = () => setTimeout(() => silence.abort(), silentMs)
  let timer = listen()
  try {
    const pieces = await transport.once(
      {
        method: 'GET',
        path: `/events/stream${query}`,
        lastEventId,
        timeoutMs: longestMs,
        signal: signal ? AbortSignal.any([signal, silence.signal]) : silence.signal,
      },
      bodyOf,
    )
    for await (const block of split(pieces!, '\n\n')) {
      clearTimeout(timer)
      timer = listen()
      const field = (name: string) =>
        block
          .split('\n')
          .find(line => line.startsWith(`${name}: `))
          ?.slice(name.length + 2)
      const [id, data] = [field('id'), field('data')]
      // A block without data says where one is, while nothing happens.
      yield {
        ...(id !== undefined && { id }),
        ...(data !== undefined && { event: JSON.parse(data) as Event }),
      }
    }
  } finally {
    clearTimeout(timer)
    // Whoever leaves the loop leaves the line.
    silence.abort()
  }
}

async function* split(pieces: AsyncIterable<Uint8Array>, end: string): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const piece of pieces) {
    const parts = (rest + decoder.decode(piece, { stream: true })).split(end)
    rest = parts.pop() ?? ''
    yield* parts
  }
}
