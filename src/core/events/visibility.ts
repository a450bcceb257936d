/** Whose words and numbers somebody may read in events. Everything else about an event is for whoever may read events. */

import type { Scope } from '../access/key.ts'

export type Visibility = {
  /** Of messages that are sent. */
  messages: boolean
  /** Of received messages. */
  received: boolean
}

export const seesAll: Visibility = { messages: true, received: true }

export const visibilityOf = (scopes: readonly Scope[]): Visibility => ({
  messages: scopes.includes('messages:read'),
  received: scopes.includes('inbox:read'),
})

/** What both see. */
export const lesserVisibility = (one: Visibility, other: Visibility): Visibility => ({
  messages: one.messages && other.messages,
  received: one.received && other.received,
})

/** As it is kept. */
export const visibilityBits = ({ messages, received }: Visibility): number =>
  (messages ? 1 : 0) + (received ? 2 : 0)
export const visibilityFrom = (bits: number): Visibility => ({
  messages: (bits & 1) !== 0,
  received: (bits & 2) !== 0,
})

const isReceived = (type: string) => type === 'message.received' || type.startsWith('received.')

/** An event, written out, without what this reader may not see. */
export function asSeen(
  { type, json }: { type: string; json: string },
  { messages, received }: Visibility,
): string {
  const isHidden = isReceived(type) ? !received : type.startsWith('message.') && !messages
  if (!isHidden) return json
  const event = JSON.parse(json) as { data: Record<string, unknown> }
  const blank = isReceived(type)
    ? { from: '', message: '', metadata: {}, ...('edited_message' in event.data && { edited_message: '' }) }
    : { to: '', message: '', media_url: null }
  return JSON.stringify({ ...event, data: { ...event.data, ...blank } })
}
