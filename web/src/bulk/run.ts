/** Sends a list, request by request: it can be paused, goes on after trouble, and sends nothing twice. */

import { useCallback, useRef, useState } from 'react'
import type { Basestation } from '../../../sdk/src/index.ts'
import { wordsFor } from '../parts/toast.tsx'
import { type Outcome, type Recipient, requestsOf } from './list.ts'

export type Progress = {
  state: 'sending' | 'paused' | 'done'
  done: number
  total: number
  outcomes: readonly Outcome[]
  /** Why it stopped by itself. */
  trouble?: string
}

export type Options = { deviceId?: string; sendAt?: string }

type Run = {
  requests: readonly (readonly Recipient[])[]
  next: number
  outcomes: Outcome[]
  options: Options
  /** Names the whole of it: a request that is repeated has one effect. */
  name: string
  isPaused: boolean
}

const refused: Record<Recipient['verdict'], string> = {
  fine: '',
  invalid: 'not a number',
  duplicate: 'twice in the list',
  opted_out: 'opted out',
}

export function useRun(api: Basestation) {
  const run = useRef<Run>(undefined)
  const [progress, setProgress] = useState<Progress>()
  const show = useCallback((state: Progress['state'], trouble?: string) => {
    const { requests, next, outcomes } = run.current!
    setProgress({
      state,
      done: requests.slice(0, next).flat().length,
      total: requests.flat().length,
      outcomes: [...outcomes],
      ...(trouble !== undefined && { trouble }),
    })
  }, [])
  const goOn = useCallback(async () => {
    const current = run.current!
    current.isPaused = false
    while (current.next < current.requests.length) {
      if (current.isPaused) return show('paused')
      show('sending')
      try {
        current.outcomes.push(...(await sendOne(api, current, current.requests[current.next]!)))
      } catch (error) {
        return show('paused', wordsFor(error))
      }
      current.next += 1
    }
    show('done')
  }, [api, show])
  const start = useCallback(
    (recipients: readonly Recipient[], options: Options) => {
      run.current = {
        requests: requestsOf(recipients),
        next: 0,
        outcomes: recipients
          .filter(({ verdict }) => verdict !== 'fine')
          .map(recipient => ({ recipient, outcome: refused[recipient.verdict], messageId: '' })),
        options,
        name: crypto.randomUUID(),
        isPaused: false,
      }
      void goOn()
    },
    [goOn],
  )
  const pause = useCallback(() => {
    if (run.current) run.current.isPaused = true
  }, [])
  return { progress, start, pause, goOn }
}

async function sendOne(api: Basestation, run: Run, group: readonly Recipient[]): Promise<Outcome[]> {
  const { deviceId, sendAt } = run.options
  const answer = await api.sendBulk(
    {
      recipients: group.map(({ number }) => number),
      message: group[0]!.text,
      ...(deviceId !== undefined && { device_id: deviceId }),
      ...(sendAt !== undefined && { send_at: sendAt }),
    },
    { idempotencyKey: `${run.name}-${run.next}` },
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
