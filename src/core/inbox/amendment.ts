/** What somebody changed about a message that was there before: an edit, a deletion, a reaction. */

export type Change =
  | { kind: 'edited'; text: string }
  | { kind: 'deleted' }
  /** Empty: they took it back. */
  | { kind: 'reaction'; emoji: string }

export type Amendment = {
  deviceId: string
  /** What it is about: a message of ours, or a received one under one of the device's own ids. */
  about: { messageId: string } | { externalIds: readonly string[] }
  /** The device's own id of the change, by which a second delivery is recognised. */
  id: string
  at: number
  change: Change
}

/** As it is kept beside a received message, in its metadata. */
export type Edit = { id: string; text: string; at: string }

export type Amended = {
  edits?: readonly Edit[]
  deleted_at?: string
  /** The sender's; there is one at most. */
  reaction?: string
}

/** The metadata after the change; undefined: it is known already. */
export function amended(metadata: Amended, { id, at, change }: Amendment): Amended | undefined {
  const time = new Date(at).toISOString()
  if (change.kind === 'edited') {
    const edits = metadata.edits ?? []
    return edits.some(edit => edit.id === id)
      ? undefined
      : { ...metadata, edits: [...edits, { id, text: change.text, at: time }].slice(-mostEdits) }
  }
  if (change.kind === 'deleted')
    return metadata.deleted_at === undefined ? { ...metadata, deleted_at: time } : undefined
  if ((metadata.reaction ?? '') === change.emoji) return undefined
  const { reaction: _, ...rest } = metadata
  return change.emoji === '' ? rest : { ...rest, reaction: change.emoji }
}

/** WhatsApp lets people edit for a quarter of an hour; a program could do so without end. */
const mostEdits = 20
