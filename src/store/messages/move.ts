/**
 * The only place that changes the state of a message. The guard comes from the table in core, so that late and repeated
 * news moves nothing; the version, the due time, the device's load and the journal follow by themselves.
 */

import { type Status, sourcesOf } from '../../core/messages/message.ts'
import { from, oneOf, sql, type Value, varying } from '../engine/sql.ts'
import type { Transaction } from '../engine/transaction.ts'
import { type Trace, tell, trace } from './message-row.ts'

/** One message each. `message_seq` or `message_id` says which; the other columns are for `set` and `match`. */
type Item = Readonly<Record<string, Value>>
type Columns = Readonly<Record<string, 'text' | 'bigint'>>

export type Move = {
  to: Status
  /** Of the states that lead there only these; all of them when not given. */
  only?: readonly Status[]
  columns: Columns
  items: readonly Item[]
  /** Which message an item, called `r`, is about. */
  match?: string
  /** What else changes. */
  set?: string
  /** What the journal tells beside the state. */
  data?: (moved: Moved) => Record<string, unknown> | undefined
}

export type Moved = Trace & { id: string; parts: number; pinned: number; held: number }

/** When the sweeper or the scheduler has to look at it again. */
const dueAt: Partial<Record<Status, string>> = { queued: 'expires_at', sending: 'due_at' }

const bySeq = 'messages.seq = r.message_seq'

/** Returns the messages that moved. No two items may be about the same one. */
export async function move(tx: Transaction, wanted: Move): Promise<Moved[]> {
  const { to, items, data } = wanted
  if (items.length === 0) return []
  const sources = sourcesOf(to).filter(status => wanted.only?.includes(status) ?? true)
  // What was queued was counted as waiting for its device; so those are moved apart, and last: they are rare.
  const others = sources.filter(status => status !== 'queued')
  const moved = others.length > 0 ? await tx.all<Moved>(statement(wanted, items, others)) : []
  const done = new Set(moved.flatMap(({ seq, id }) => [seq, id]))
  const left = items.filter(
    ({ message_seq: seq, message_id: id }) => !done.has((seq ?? id) as number | string),
  )
  if (left.length > 0 && sources.includes('queued')) {
    const taken = await tx.all<Moved>(statement(wanted, left, ['queued']))
    for (const message of taken) countQueued(tx, message, -1)
    moved.push(...taken)
  }
  for (const message of moved) {
    if (to === 'queued') countQueued(tx, message, 1)
    tell(tx, to, message, data?.(message))
  }
  return moved
}

/** For messages that this transaction has just read as queued: nothing has to be waited for. */
export function moveQueued(
  tx: Transaction,
  wanted: Move,
  messages: readonly (Trace & { parts: number; pinned: boolean })[],
): void {
  tx.write(statement(wanted, wanted.items, ['queued'], noRows))
  for (const message of messages) {
    const moved = { ...message, pinned: Number(message.pinned), held: 0 } as Moved
    countQueued(tx, moved, -1)
    tell(tx, wanted.to, message, wanted.data?.(moved))
  }
}

const movedRows = varying(`RETURNING ${trace.text}, id, parts, pinned, held`)
/** Where nobody reads them: they cost SQLite 4 µs each. */
const noRows = varying('')

const statement = (
  { to, columns, match = bySeq, set }: Move,
  items: readonly Item[],
  sources: Status[],
  returning = movedRows,
) => sql`
  UPDATE messages SET status = ${varying(`'${to}'`)}, version = version + 1, due_at = ${varying(dueAt[to] ?? 'NULL')}
    ${varying(set === undefined ? '' : `, ${set}`)}
  ${from(columns, items)}
  WHERE ${varying(match)} AND ${oneOf('messages.status', sources)}
  ${returning}`

/** Held messages do not count as queued. */
function countQueued(tx: Transaction, { deviceId, parts, pinned, held }: Moved, count: 1 | -1): void {
  if (!held) tx.queued(deviceId, count, parts, pinned === 1)
}

/** Messages by their numbers, with nothing else to say about each. */
export const numbered = (seqs: readonly number[]): Pick<Move, 'columns' | 'items'> => ({
  columns: { message_seq: 'bigint' },
  items: seqs.map(seq => ({ message_seq: seq })),
})

/** The same reason for all of them. */
export const failing = (
  seqs: readonly number[],
  code: string,
  detail: string,
): Pick<Move, 'columns' | 'items' | 'set'> => ({
  columns: { message_seq: 'bigint', error_code: 'text', error_detail: 'text' },
  items: seqs.map(seq => ({ message_seq: seq, error_code: code, error_detail: detail })),
  set: 'error_code = r.error_code, error_detail = r.error_detail',
})
