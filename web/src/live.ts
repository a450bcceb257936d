/** What happens at the gateway shows at once: events come in, and what they are about is looked up anew. */

import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { BasestationError, type Event } from '../../sdk/src/index.ts'
import { apiOf, type Environment } from './environment.ts'

/** Events often come in crowds; the pages follow them this often. */
const togetherMs = 400
/** A page that nobody looks at lets its line go: browsers have six for each host. */
const hiddenMs = 20_000

type Subject = 'messages' | 'message' | 'stats' | 'devices' | 'conversations' | 'thread' | 'webhooks'

const subjects = (type: Event['type']): readonly Subject[] => {
  if (type === 'message.received') return ['conversations', 'thread', 'stats']
  if (type === 'person.erased') return ['messages', 'message', 'conversations', 'thread']
  if (type.startsWith('message.')) return ['messages', 'message', 'thread', 'stats', 'devices']
  if (type.startsWith('device.')) return ['devices']
  return ['webhooks']
}

export type LiveState = 'live' | 'waiting'

/** Follows an environment for as long as a page of it is open. Says whether the line is up. */
export function useLive(environment: Environment, mayListen: boolean): LiveState {
  const client = useQueryClient()
  const isVisible = useVisible()
  const [state, setState] = useState<LiveState>('live')
  useEffect(() => {
    if (!mayListen || !isVisible) return
    const stop = new AbortController()
    void follow(client, environment, stop.signal, setState)
    return () => stop.abort()
  }, [client, environment, mayListen, isVisible])
  return state
}

async function follow(
  client: QueryClient,
  environment: Environment,
  signal: AbortSignal,
  setState: (state: LiveState) => void,
): Promise<void> {
  const due = new Set<Subject>()
  let timer: ReturnType<typeof setTimeout> | undefined
  const flush = () => {
    timer = undefined
    for (const subject of due) void client.invalidateQueries({ queryKey: [environment, subject] })
    due.clear()
  }
  // What happened while nobody listened.
  void client.invalidateQueries({ queryKey: [environment] })
  try {
    setState('live')
    for await (const event of apiOf(environment).stream({}, signal)) {
      for (const subject of subjects(event.type)) due.add(subject)
      timer ??= setTimeout(flush, togetherMs)
    }
  } catch (error) {
    if (error instanceof BasestationError && error.code === 'not_signed_in')
      void client.invalidateQueries({ queryKey: ['session'] })
    else if (!signal.aborted) setState('waiting')
  } finally {
    clearTimeout(timer)
  }
}

function useVisible(): boolean {
  const [isVisible, setVisible] = useState(true)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = () => {
      clearTimeout(timer)
      if (document.visibilityState === 'visible') setVisible(true)
      else timer = setTimeout(() => setVisible(false), hiddenMs)
    }
    document.addEventListener('visibilitychange', look)
    return () => {
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', look)
    }
  }, [])
  return isVisible
}
