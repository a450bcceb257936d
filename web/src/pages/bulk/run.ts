/**
 * Sends a list, request by request: it can be paused, goes on after trouble, and sends nothing twice. It belongs to the
 * page as a whole: whoever looks at something else meanwhile finds it as far as it has got.
 */

import { useSyncExternalStore } from 'react'
import { type Basestation, BasestationError } from '../../../../sdk/src/index.ts'
import { newId } from '../../../../sdk/src/new-id.ts'
import { apiOf, type Environment } from '../../environment.ts'
import { wordsFor } from '../../parts/toast.tsx'
import { type Outcome, type Recipient, requestsOf, type Verdict } from './list.ts'

export type Progress = {
  state: 'sending' | 'paused' | 'done'
  done: number
  total: number
  outcomes: readonly Outcome[]
  /** Why it stopped by itself. */
  trouble?: string
}

export type Options = { deviceId?: string; sendAt?: string }

const refused: Record<Verdict, string> = {
  fine: '',
  invalid: 'not a number',
  duplicate: 'duplicate',
  opted_out: 'opted out',
  empty: 'no text',
  missing: 'a value is missing',
}

/** Refusals of a request as it is; others pass, or are about who asks. */
const isHopeless = (error: unknown): error is BasestationError =>
  error instanceof BasestationError && [400, 404, 413, 422].includes(error.status)

class Run {
  readonly #api: Basestation
  readonly #requests: readonly (readonly Recipient[])[]
  readonly #options: Options
  readonly #onChange: () => void
  /** Names the whole of it: a request that is repeated has one effect. */
  readonly #name = newId()
  readonly #outcomes: Outcome[]
  #next = 0
  #isPaused = false
  progress!: Progress

  constructor(api: Basestation, recipients: readonly Recipient[], options: Options, onChange: () => void) {
    this.#api = api
    this.#requests = requestsOf(recipients)
    this.#options = options
    this.#onChange = onChange
    this.#outcomes = recipients
      .filter(({ verdict }) => verdict !== 'fine')
      .map(recipient => ({ recipient, outcome: refused[recipient.verdict], messageId: '' }))
  }

  pause(): void {
    this.#isPaused = true
  }

  async goOn(): Promise<void> {
    this.#isPaused = false
    while (this.#next < this.#requests.length) {
      if (this.#isPaused) return this.#show('paused')
      this.#show('sending')
      const group = this.#requests[this.#next]!
      try {
        this.#outcomes.push(...(await this.#send(group)))
      } catch (error) {
        if (!isHopeless(error)) return this.#show('paused', wordsFor(error))
        this.#outcomes.push(...group.map(recipient => ({ recipient, outcome: error.message, messageId: '' })))
      }
      this.#next += 1
    }
    this.#show('done')
  }

  #show(state: Progress['state'], trouble?: string): void {
    const left = this.#requests.slice(this.#next).flat()
    const total = this.#requests.flat().length
    this.progress = {
      state,
      done: total - left.length,
      total,
      outcomes: [
        ...this.#outcomes,
        ...left.map(recipient => ({ recipient, outcome: 'not sent yet', messageId: '' })),
      ],
      ...(trouble !== undefined && { trouble }),
    }
    this.#onChange()
  }

  async #send(group: readonly Recipient[]): Promise<Outcome[]> {
    const { deviceId, sendAt } = this.#options
    const answer = await this.#api.sendBulk(
      {
        recipients: group.map(({ number }) => number),
        message: group[0]!.text,
        ...(deviceId !== undefined && { device_id: deviceId }),
        ...(sendAt !== undefined && { send_at: sendAt }),
      },
      { idempotencyKey: `${this.#name}-${this.#next}` },
    )
    const rejected = new Map((answer.rejected ?? []).map(({ index, detail }) => [index, detail]))
    const ids = [...answer.message_ids]
    return group.map((recipient, index) => {
      const why = rejected.get(index)
      return why === undefined
        ? { recipient, outcome: 'accepted', messageId: ids.shift() ?? '' }
        : { recipient, outcome: why, messageId: '' }
    })
  }
}

const runs = new Map<Environment, Run>()
const listeners = new Set<() => void>()
const tell = () => {
  for (const listener of listeners) listener()
}
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

// What was not handed over yet exists only here.
addEventListener('beforeunload', event => {
  if (isUnfinished()) event.preventDefault()
})

/** Whether something was not handed over yet. */
export const isUnfinished = (): boolean =>
  [...runs.values()].some(({ progress }) => progress.state !== 'done')

/** Sends nothing more of any list. */
export function dropRuns(): void {
  for (const run of runs.values()) run.pause()
  runs.clear()
}

/** The bulk send of an environment, if there is one. */
export function useRun(environment: Environment) {
  const progress = useSyncExternalStore(subscribe, () => runs.get(environment)?.progress)
  return {
    progress,
    start: (recipients: readonly Recipient[], options: Options) => {
      const run = new Run(apiOf(environment), recipients, options, tell)
      runs.set(environment, run)
      void run.goOn()
    },
    pause: () => runs.get(environment)?.pause(),
    goOn: () => void runs.get(environment)?.goOn(),
    /** Makes room for another list. */
    clear: () => {
      runs.delete(environment)
      tell()
    },
  }
}
