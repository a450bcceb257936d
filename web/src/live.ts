/** What happens at the gateway shows at once: events come in, and what they are about is looked up again. */

import { type InfiniteData, type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import {
  BasestationError,
  type Event,
  type ListedMessage,
  type MessagesResponse,
} from '../../sdk/src/index.ts'
import { apiOf, type Environment } from './environment.ts'
import { Later } from './later.ts'
import { onError } from './query-client.ts'

/** Events often come in crowds; the pages follow them this often. */
const togetherMs = 400
/** Statistics are counted a second behind what happens. */
const countedMs = 1_500
/** After a refusal it starts over, where the journal is then. */
const refusedMs = 5_000
/** A page that nobody looks at lets its line go: browsers have six for each host. */
const hiddenMs = 20_000

type Subject = 'messages' | 'message' | 'stats' | 'devices' | 'conversations' | 'thread' | 'webhooks'

const subjects = (type: Event['type']): readonly Subject[] => {
  if (type === 'message.received') return ['conversations', 'thread', 'stats']
  if (type === 'person.erased') return ['messages', 'message', 'conversations', 'thread']
  if (type.startsWith('message.')) return ['messages', 'message', 'thread', 'stats', 'devices']
  if (type.startsWith('received.')) return ['conversations', 'thread']
  if (type.startsWith('device.')) return ['devices']
  return ['webhooks']
}

/** Follows an environment for as long as a page of it is open. */
export function useLive(environment: Environment, mayListen: boolean): void {
  const client = useQueryClient()
  const isVisible = useVisible()
  useEffect(() => {
    if (!mayListen || !isVisible) return
    const stop = new AbortController()
    void follow(client, environment, stop.signal)
    return () => stop.abort()
  }, [client, environment, mayListen, isVisible])
}

async function follow(client: QueryClient, environment: Environment, signal: AbortSignal): Promise<void> {
  const due = new Set<Subject>()
  const changed = new Map<string, ListedMessage>()
  const stats = new Later(
    countedMs,
    () => void client.invalidateQueries({ queryKey: [environment, 'stats'] }),
  )
  let timer: ReturnType<typeof setTimeout> | undefined
  const flush = () => {
    timer = undefined
    for (const subject of due)
      if (subject === 'messages') refreshMessages(client, environment, changed)
      else if (subject === 'stats') stats.ask()
      else void client.invalidateQueries({ queryKey: [environment, subject] })
    due.clear()
    changed.clear()
  }
  while (!signal.aborted) {
    // What happened while nobody listened.
    void client.invalidateQueries({ queryKey: [environment] })
    try {
      for await (const event of apiOf(environment).stream({}, signal)) {
        for (const subject of subjects(event.type)) due.add(subject)
        if (event.type.startsWith('message.') && event.type !== 'message.received') {
          const message = event.data as unknown as ListedMessage
          changed.set(message.message_id, message)
        }
        timer ??= setTimeout(flush, togetherMs)
      }
    } catch (error) {
      // It comes back by itself, and ends only when it is refused: for good, or because its place is gone.
      onError(error)
      if (error instanceof BasestationError && [401, 403].includes(error.status)) break
    }
    await new Promise(resolve => setTimeout(resolve, refusedMs))
  }
  clearTimeout(timer)
  stats.stop()
}

/** One page is asked for again. Of many, only the rows that changed do: asking for all of them would never end. */
function refreshMessages(
  client: QueryClient,
  environment: Environment,
  changed: ReadonlyMap<string, ListedMessage>,
): void {
  for (const query of client.getQueryCache().findAll({ queryKey: [environment, 'messages'] })) {
    const data = query.state.data as InfiniteData<MessagesResponse> | undefined
    if (!data || data.pages.length === 1) {
      void client.invalidateQueries({ queryKey: query.queryKey, exact: true })
      continue
    }
    const pages = data.pages.map(page => ({
      ...page,
      data: page.data.map(message => {
        const now = changed.get(message.message_id)
        // Events do not name the device.
        return now ? { ...now, device_name: message.device_name } : message
      }),
    }))
    client.setQueryData(query.queryKey, { ...data, pages })
    void client.invalidateQueries({ queryKey: query.queryKey, exact: true, refetchType: 'none' })
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
