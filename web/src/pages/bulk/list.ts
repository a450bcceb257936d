/** A list of people to write to: from lines or a table, each judged before anything is sent. */

export type Table = {
  columns: readonly string[]
  rows: readonly (readonly string[])[]
  /** Where each row stands in the file, from 1. */
  lines: readonly number[]
}

export type Verdict = 'fine' | 'invalid' | 'duplicate' | 'opted_out' | 'empty' | 'missing'

export type Recipient = {
  /** Its line in the file, from 1. */
  line: number
  given: string
  /** As the gateway writes it; empty when it is none. */
  number: string
  text: string
  verdict: Verdict
}

/** As the gateway itself reads numbers; `test/construction.test.ts` compares the two. */
export function normalise(given: string): string | undefined {
  if (given.length > 64) return undefined
  const bare = given.replace(/[ ().-]/g, '').replace(/^00/, '+')
  return /^\+[1-9][0-9]{6,14}$/.test(bare) ? bare : undefined
}

/** The column that most likely has the numbers. */
export function numberColumn({ columns, rows }: Table): number {
  const scores = columns.map(
    (_, index) => rows.slice(0, 50).filter(row => normalise(row[index] ?? '') !== undefined).length,
  )
  return Math.max(0, scores.indexOf(Math.max(...scores)))
}

/** `{name}` and `{{name}}` stand for the column of that name; `{{name|friend}}` has a word for where it is empty. */
const placeholder = /\{\{([^{}|]+)(?:\|([^{}]*))?\}\}|\{([^{}|]+)\}/g

const columnOf = (columns: readonly string[], name: string): number =>
  columns.findIndex(column => column.trim().toLowerCase() === name.trim().toLowerCase())

export const fill = (template: string, columns: readonly string[], row: readonly string[]): string =>
  template.replace(placeholder, (whole, doubled: string | undefined, otherwise = '', single: string) => {
    const index = columnOf(columns, doubled ?? single)
    return index === -1 ? whole : (row[index] ?? '').trim() || otherwise.trim()
  })

const placesOf = (template: string) =>
  [...template.matchAll(placeholder)].map(([, doubled, otherwise, single]) => ({
    name: doubled ?? single ?? '',
    otherwise,
  }))

/** Placeholders that no column fills: they would be sent as they stand. */
export const unknownPlaceholders = (template: string, columns: readonly string[]): string[] =>
  placesOf(template)
    .map(({ name }) => name)
    .filter(name => columnOf(columns, name) === -1)

/** Whether a place in the text would stay empty: “Hello ,” is nothing that anybody wants to send. */
const hasGap = (template: string, columns: readonly string[], row: readonly string[]): boolean =>
  placesOf(template).some(({ name, otherwise }) => {
    const index = columnOf(columns, name)
    return index !== -1 && (row[index] ?? '').trim() === '' && (otherwise ?? '').trim() === ''
  })

export function recipientsOf(
  { columns, rows, lines }: Table,
  column: number,
  template: string,
  optedOut: ReadonlySet<string> = new Set(),
): Recipient[] {
  const seen = new Set<string>()
  return rows.map((row, index) => {
    const given = (row[column] ?? '').trim()
    const number = normalise(given) ?? ''
    const isDuplicate = number !== '' && seen.has(number)
    seen.add(number)
    const text = fill(template, columns, row)
    // While there is no text at all yet, that is not the row's fault.
    const isEmpty = template.trim() !== '' && text.trim() === ''
    return {
      line: lines[index] ?? index + 1,
      given,
      number,
      text,
      verdict: verdictOf(number, isDuplicate, isEmpty, hasGap(template, columns, row), optedOut),
    }
  })
}

function verdictOf(
  number: string,
  isDuplicate: boolean,
  isEmpty: boolean,
  isMissing: boolean,
  optedOut: ReadonlySet<string>,
): Verdict {
  if (number === '') return 'invalid'
  if (isEmpty) return 'empty'
  if (isMissing) return 'missing'
  if (isDuplicate) return 'duplicate'
  return optedOut.has(number) ? 'opted_out' : 'fine'
}

const mostAtOnce = 100

/** Requests: people who get the same text, at most a hundred in each. */
export function requestsOf(recipients: readonly Recipient[]): (readonly Recipient[])[] {
  const byText = Map.groupBy(
    recipients.filter(({ verdict }) => verdict === 'fine'),
    ({ text }) => text,
  )
  return [...byText.values()].flatMap(group =>
    Array.from({ length: Math.ceil(group.length / mostAtOnce) }, (_, index) =>
      group.slice(index * mostAtOnce, (index + 1) * mostAtOnce),
    ),
  )
}

export type Outcome = { recipient: Recipient; outcome: string; messageId: string }

/** What begins like a formula is one, for the programs that open such files. */
const harmless = (cell: string) => (/^[=+\-@\t\r＝＋－＠]/.test(cell) ? `'${cell}` : cell)
const quoted = (cell: string) => `"${harmless(cell).replaceAll('"', '""')}"`

/** The result as a file that spreadsheets open. */
export const resultFile = (outcomes: readonly Outcome[]): string =>
  [
    ['line', 'number', 'outcome', 'message_id'],
    ...outcomes.map(({ recipient, outcome, messageId }) => [
      String(recipient.line),
      recipient.number || recipient.given,
      outcome,
      messageId,
    ]),
  ]
    .map(cells => `${cells.map(quoted).join(',')}\r\n`)
    .join('')
