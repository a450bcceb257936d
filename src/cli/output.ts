/** What commands print: tables for people, JSON for programs. */

export type Row = Readonly<Record<string, string | number | boolean | null | undefined>>

export class Output {
  readonly json: boolean
  readonly #write: (text: string) => void

  constructor(json: boolean, write: (text: string) => void) {
    this.json = json
    this.#write = write
  }

  /** The result: JSON when asked for, else the words for people. */
  show(value: unknown, words: () => string): void {
    this.#write(this.json ? `${JSON.stringify(value, null, 2)}\n` : `${harmless(words())}\n`)
  }

  /** One of several results that come over time: JSON takes one line each. */
  step(value: unknown, words: () => string): void {
    this.#write(this.json ? `${JSON.stringify(value)}\n` : `${harmless(words())}\n`)
  }

  /** The newest of a row of lines: on a terminal it takes the place of the one before. */
  live(value: unknown, words: () => string): void {
    if (this.json || !process.stdout.isTTY) this.step(value, words)
    else this.#write(`\r\x1b[K${harmless(words())}`)
  }

  /** No more of those lines: what comes next begins a line of its own. */
  endLive(): void {
    if (!this.json && process.stdout.isTTY) this.#write('\n')
  }

  /** Something for people only. */
  say(text: string): void {
    if (!this.json) this.#write(`${harmless(text)}\n`)
  }
}

/** `1 message`, `2 messages`. */
export const counted = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`

/** Columns as wide as their widest cell; nothing else. */
export function table(rows: readonly Row[], columns: readonly string[], empty: string): string {
  if (rows.length === 0) return empty
  const cell = (row: Row, column: string) => printable(row[column] ?? '')
  const widths = columns.map(column =>
    Math.max(column.length, ...rows.map(row => [...cell(row, column)].length)),
  )
  const line = (cells: readonly string[]) =>
    cells
      .map((text, index) => text + ' '.repeat(widths[index]! - [...text].length))
      .join('  ')
      .trimEnd()
  return [
    line(columns.map(column => column.toUpperCase())),
    ...rows.map(row => line(columns.map(c => cell(row, c)))),
  ].join('\n')
}

/** Names come from strangers: nothing in them moves the cursor, colours the terminal or turns the text around. */
export const harmless = (text: string): string =>
  text.replaceAll(/(?!\n)[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '·')

/** Texts come from strangers: what could move the cursor or colour the terminal is shown as a dot. */
export const printable = (value: unknown): string =>
  String(value).replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, character => (character === '\n' ? ' ' : '·'))
