/** What WhatsApp does not let a number do for now: begin new chats, or send at all. */

export type RestrictionParts = {
  /** It may begin no new chats until then; null: it may. */
  restricted: (until: number | null) => void
  /** It sends nothing until then; null: it does. */
  rests: (until: number | null) => void
  now: () => number
}

/** As the library tells it. */
export type Lock = {
  isActive?: boolean | null
  timeEnforcementEnds?: Date | null
  enforcementType?: string | null
}

/** How long a restriction lasts when WhatsApp does not say. */
const restrictedMs = 24 * 3_600_000
/** A lock that holds for linked devices, or for breaking the rules of commerce, is about every chat. */
const isOfEverything = (type: string | null | undefined) =>
  type === 'WEB_COMPANION_ONLY' || type?.startsWith('BIZ_') === true
/** After this many refusals in a row, more than new chats is assumed to be restricted. */
const mostRefusals = 3
const restMs = 3_600_000

export class Restrictions {
  readonly #parts: RestrictionParts
  #refusals = 0

  constructor(parts: RestrictionParts) {
    this.#parts = parts
  }

  /** WhatsApp says what the number may not do, or that it may again. */
  changed({ isActive, timeEnforcementEnds, enforcementType }: Lock): void {
    const { restricted, rests, now } = this.#parts
    const until = isActive ? (timeEnforcementEnds?.getTime() ?? now() + restrictedMs) : null
    restricted(until)
    if (until === null || isOfEverything(enforcementType)) rests(until)
    if (until === null) this.#refusals = 0
  }

  /** A message was refused because of a restriction (463): the next would be, too. */
  refused(): void {
    const { restricted, rests, now } = this.#parts
    this.#refusals += 1
    restricted(now() + restrictedMs)
    if (this.#refusals >= mostRefusals) rests(now() + restMs)
  }

  /** A message was taken. */
  taken(): void {
    this.#refusals = 0
  }
}
