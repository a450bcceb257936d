/**
 * The version of WhatsApp Web that we say we are. The server refuses old ones (405), and the one that is built into the
 * library ages. So the newest is looked up first; a setting takes its place, and the library's own is the last resort.
 */

export type WebVersion = [number, number, number]

type VersionParts = {
  /** What the operator set. */
  chosen?: WebVersion | undefined
  /** The newest; undefined: it cannot be found out. */
  lookUp: () => Promise<WebVersion | undefined>
  now: () => number
}

const freshMs = 12 * 3_600_000
/** After a look-up in vain: connecting must not wait for each one. */
const restMs = 10 * 60_000

export class WebVersions {
  readonly #parts: VersionParts
  #found: { version: WebVersion | undefined; until: number } | undefined
  #looking: Promise<WebVersion | undefined> | undefined

  constructor(parts: VersionParts) {
    this.#parts = parts
  }

  /** Undefined: the library's own. */
  async get(): Promise<WebVersion | undefined> {
    const { chosen, now } = this.#parts
    if (chosen) return chosen
    if (this.#found && this.#found.until > now()) return this.#found.version
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined
    })
    return await this.#looking
  }

  /** The server does not take it any more. */
  refused(): void {
    this.#found = undefined
  }

  async #look(): Promise<WebVersion | undefined> {
    const { lookUp, now } = this.#parts
    const version = await lookUp().catch(() => undefined)
    this.#found = { version, until: now() + (version ? freshMs : restMs) }
    return version
  }
}

/** `2.3000.1043857760`. */
export function readVersion(text: string): WebVersion | undefined {
  const [, ...numbers] = /^(\d{1,4})\.(\d{1,6})\.(\d{1,12})$/.exec(text) ?? []
  return numbers.length === 3 ? (numbers.map(Number) as WebVersion) : undefined
}
