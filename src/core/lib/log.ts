/** Port: where decisions are noted for operators. Ids and numbers of things, never texts or full phone numbers. */

type Note = (fields: Record<string, unknown>, text: string) => void

export type Log = { debug: Note; info: Note; warn: Note; error: Note }
