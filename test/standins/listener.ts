/** Somebody who listens to the stream of events, as a browser would. */

export type Heard = {
  id: string
  type: string
  created_at: string
  sequence: number | null
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of every shape
  data: any
}

export type Listener = {
  events: Heard[]
  opened: boolean
  closed: boolean
  /** The id of the last event that was heard of in full. */
  last: string | undefined
  stop(): void
}

export function listen(url: string, key: string, from?: string): Listener {
  const stopping = new AbortController()
  const listener: Listener = {
    events: [],
    opened: false,
    closed: false,
    last: from,
    stop: () => stopping.abort(),
  }
  const run = async () => {
    const response = await fetch(url, {
      headers: { authorization: `Bearer ${key}`, ...(from !== undefined && { 'last-event-id': from }) },
      signal: stopping.signal,
    })
    if (!response.ok) throw new Error(`answered ${response.status}`)
    const decoder = new TextDecoder()
    let rest = ''
    for await (const chunk of response.body!) {
      listener.opened = true
      const blocks = (rest + decoder.decode(chunk, { stream: true })).split('\n\n')
      rest = blocks.pop()!
      for (const block of blocks) {
        const fields = new Map(
          block
            .split('\n')
            .map(line => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
        )
        const data = fields.get('data')
        listener.last = fields.get('id') ?? listener.last
        if (data === undefined) continue
        const event = JSON.parse(data) as Heard
        if (event.id !== fields.get('id') || event.type !== fields.get('event'))
          throw new Error('the stream contradicts itself')
        listener.events.push(event)
      }
    }
  }
  run()
    .catch(() => {})
    .finally(() => {
      listener.closed = true
    })
  return listener
}
