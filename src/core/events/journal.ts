/** The journal for its readers: each event is read once and rendered once, however many readers there are. */

import type { Log } from '../lib/log.ts'
import { Loop } from '../lib/loop.ts'
import { limits } from '../limits.ts'
import type { Store } from '../store.ts'
import { concerns, type EventWithSubject, type Interest } from './event.ts'

export type JournalParts = {
  store: Pick<Store, 'tellable' | 'journalHead'>
  show: (event: EventWithSubject) => object
  log: Log
}

/** An event, rendered for delivery. */
export type Telling = {
  seq: number
  environmentId: number
  type: EventWithSubject['type']
  deviceId: string | null
  at: number
  json: string
  /** When `json` was rendered from the data of that moment. */
  renderedAt: number
}

/** How soon it is seen what other processes write. */
const lookMs = 200
const page = 200
/** The newest events are cached: nearly all readers want just those. */
const mostRecent = 2_000
const mostBytes = limits.journalCache.value
/** Renderings expire: texts erased meanwhile must not be delivered. */
const freshMs = 60_000

export class Journal {
  readonly #parts: JournalParts
  readonly #loop: Loop
  readonly #waiting = new Set<() => void>()
  /** Everything after `#recentAfter`, without gaps, up to the last one read. */
  #recent: Telling[] = []
  #recentAfter = 0
  #head = 0
  #reading: Promise<void> | undefined

  constructor(parts: JournalParts) {
    this.#parts = parts
    this.#loop = new Loop(
      lookMs,
      () => this.look(),
      error => parts.log.error({ err: error }, 'could not read the journal'),
    )
  }

  async start(): Promise<void> {
    await this.look()
    this.#recentAfter = this.#head
    this.#loop.start()
  }

  async stop(): Promise<void> {
    await this.#loop.stop()
    this.#wakeAll()
  }

  /** Something may have been written. */
  wake(): void {
    this.#loop.wake()
  }

  /** The number of the newest event. */
  get head(): number {
    return this.#head
  }

  /** Resolves when there is an event after `seq`, or after `patienceMs`. */
  async after(seq: number, patienceMs: number, signal?: AbortSignal): Promise<void> {
    if (this.#head > seq || signal?.aborted) return
    await new Promise<void>(resolve => {
      const done = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', done)
        this.#waiting.delete(done)
        resolve()
      }
      const timer = setTimeout(done, patienceMs)
      signal?.addEventListener('abort', done)
      this.#waiting.add(done)
    })
  }

  /** What comes after `seq`, in order: a page of it. `last` is the new cursor, even if no event matched. */
  async read(
    seq: number,
    environmentId: number,
    interest: Interest,
    limit = page,
  ): Promise<{ tellings: Telling[]; last: number }> {
    const head = this.#head
    const all = await this.#page(seq, limit)
    // The remaining sequence numbers have no rows (deleted or unused): skip to the head.
    if (all.length === 0) return { tellings: [], last: Math.max(seq, head) }
    const tellings = all.filter(one => one.environmentId === environmentId && concerns(interest, one))
    return { tellings, last: all.at(-1)!.seq }
  }

  /** One event; undefined: there is none any more. */
  async event(seq: number): Promise<Telling | undefined> {
    const known = this.#recent[seq - this.#recentAfter - 1]
    const [found] = known?.seq === seq ? [known] : await this.#fetch(seq - 1, 1)
    return found?.seq === seq ? found : undefined
  }

  async #page(seq: number, limit: number): Promise<readonly Telling[]> {
    if (seq >= this.#head) return []
    // Only the newest events are cached; a reader far behind reads from the store.
    if (seq < this.#recentAfter) return await this.#fetch(seq, limit)
    if (seq >= this.#lastRead) {
      this.#reading ??= this.#readOn(seq).finally(() => {
        this.#reading = undefined
      })
      await this.#reading
    }
    if (seq < this.#recentAfter || seq >= this.#lastRead) return await this.#fetch(seq, limit)
    const begin = this.#recent.findIndex(one => one.seq > seq)
    return this.#recent.slice(begin, begin + limit)
  }

  get #lastRead(): number {
    return this.#recent.at(-1)?.seq ?? this.#recentAfter
  }

  /** Reads the next page. `seq`: the caller's cursor, which may be ahead of all others. */
  async #readOn(seq: number): Promise<void> {
    if (seq > this.#lastRead) {
      this.#recent = []
      this.#recentAfter = seq
    }
    const more = await this.#fetch(this.#lastRead, page)
    this.#recent.push(...more)
    // A person was erased: events rendered earlier may still contain their data.
    const erasure = this.#recent.findLastIndex(one => one.type === 'person.erased')
    if (erasure > 0) this.#drop(erasure)
    if (this.#recent.length > 2 * mostRecent) this.#drop(this.#recent.length - mostRecent)
    while (this.#recent.reduce((sum, { json }) => sum + json.length, 0) > mostBytes)
      this.#drop(Math.ceil(this.#recent.length / 2))
  }

  /** The first so many are no longer kept at hand. */
  #drop(count: number): void {
    if (count === 0) return
    this.#recentAfter = this.#recent[count - 1]!.seq
    this.#recent.splice(0, count)
  }

  async #fetch(seq: number, limit: number): Promise<Telling[]> {
    const { store, show } = this.#parts
    const found = await store.tellable(seq, limit)
    return found.map(event => ({
      seq: event.seq,
      environmentId: event.environmentId,
      type: event.type,
      deviceId: event.deviceId,
      at: event.at,
      json: JSON.stringify(show(event)),
      renderedAt: performance.now(),
    }))
  }

  /** Picks up what any process has written up to now. */
  async look(): Promise<undefined> {
    const stale = this.#recent.findLastIndex(one => one.renderedAt < performance.now() - freshMs)
    this.#drop(stale + 1)
    const head = await this.#parts.store.journalHead()
    if (head <= this.#head) return
    this.#head = head
    this.#wakeAll()
  }

  #wakeAll(): void {
    for (const wake of [...this.#waiting]) wake()
  }
}
