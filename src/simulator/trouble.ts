/** What goes wrong between a phone and the gateway, and how often. */

export type Trouble = {
  /** Each call is up to so many milliseconds late. */
  latencyMs: number
  /** Share of calls whose request, or whose answer, gets lost. */
  lost: number
  /** Share of reports that are sent twice. */
  twice: number
  /** Share of reports that are so late that others overtake them. */
  overtaken: number
  /** Share of phones with two event streams. */
  twoStreams: number
  /** Milliseconds until a lost stream or call is tried again. */
  retryMs: number
}

export const calm: Trouble = { latencyMs: 0, lost: 0, twice: 0, overtaken: 0, twoStreams: 0, retryMs: 1_000 }

export const usual: Trouble = {
  latencyMs: 100,
  lost: 0.03,
  twice: 0.05,
  overtaken: 0.05,
  twoStreams: 0.1,
  retryMs: 1_000,
}
