/** SQL as a value: text and parameters kept apart, one wording for both databases. */

export type Dialect = 'sqlite' | 'postgres'

export type Value = string | number | boolean | null

type Columns = Readonly<Record<string, 'text' | 'bigint'>>
type Items = readonly Readonly<Record<string, Value>>[]

/** SQL text that is part of the program, never of a request. */
class Raw {
  readonly text: string
  readonly varies: boolean
  constructor(text: string, varies: boolean) {
    this.text = text
    this.varies = varies
  }
}

/** A list of records that a statement works through, or that it inserts. */
class Records {
  readonly use: 'from' | 'values'
  readonly columns: Columns
  readonly items: Items
  /** Columns that are the same in every row of an insert. */
  readonly same: Readonly<Record<string, string | number>>
  constructor(use: Records['use'], columns: Columns, items: Items, same: Records['same'] = {}) {
    this.use = use
    this.columns = columns
    this.items = items
    this.same = same
  }
}

export type Query = { strings: TemplateStringsArray; parts: readonly (Value | Raw | Records)[] }

export function sql(strings: TemplateStringsArray, ...parts: (Value | Raw | Records)[]): Query {
  return { strings, parts }
}

/** Text that is the same each time its statement is used. */
export const raw = (text: string): Raw => new Raw(text, false)

/** Text that one statement uses in several forms, such as the name of a column. */
export const varying = (text: string): Raw => new Raw(text, true)

/**
 * Whether a column is one of these words, from a table of the program. Not `IN`: SQLite would build a table of the words,
 * and in the condition of an index it would build it for each row that is written.
 */
export const oneOf = (column: string, words: readonly string[]): Raw =>
  varying(`(${words.map(word => `${column} = '${word}'`).join(' OR ')})`)

/**
 * `FROM` a list of records, each called `r`: `UPDATE messages SET status = r.status ${from({…}, items)} WHERE
 * messages.id = r.id`. PostgreSQL takes all items in one statement. On SQLite, where a statement costs no journey, it
 * runs once for each, and `r.status` is simply a parameter. So within one list no two items may concern the same row.
 */
export const from = <Column extends string>(
  columns: Readonly<Record<Column, 'text' | 'bigint'>>,
  items: readonly Readonly<Record<Column, Value>>[],
): Records => new Records('from', columns, items)

/** Rows to insert: `INSERT INTO events ${values({…}, items)}`. What is the same in all of them is sent once. */
export const values = <Column extends string>(
  columns: Readonly<Record<Column, 'text' | 'bigint'>>,
  items: readonly Readonly<Record<Column, Value>>[],
  same: Readonly<Record<string, string | number>> = {},
): Records => new Records('values', columns, items, same)

/** A connection one can ask. SQLite answers at once, PostgreSQL with a promise; `await` serves both. */
export interface Sql {
  all<Row>(query: Query): Row[] | Promise<Row[]>
}

/** A statement and its parameters. */
export type Run = { text: string; parameters: Value[] }

const plain = (value: Value): Value => (typeof value === 'boolean' ? Number(value) : value)

/** Made once for each place in the program that has a statement, and each form that `varying` gives it. */
class Memory<Form> {
  readonly #forms = new WeakMap<TemplateStringsArray, Map<string, Form>>()

  form(query: Query, make: () => Form): Form {
    let forms = this.#forms.get(query.strings)
    if (!forms) {
      forms = new Map()
      this.#forms.set(query.strings, forms)
    }
    const variant = variantOf(query)
    let form = forms.get(variant)
    if (form === undefined) {
      form = make()
      forms.set(variant, form)
    }
    return form
  }
}

/** What makes two uses of one place different statements. It is of the program, so there are few. */
function variantOf({ parts }: Query): string {
  let variant = ''
  for (const part of parts) {
    if (part instanceof Raw && part.varies) variant += `${part.text}\n`
    if (part instanceof Records && part.use === 'from') variant += `${Object.keys(part.columns).join()}\n`
  }
  return variant
}

const postgresTexts = new Memory<string>()

/** Rows that one insert on PostgreSQL takes at once: while it works on them, the next are being written out. */
const rowsOnTheWay = 200

/** For PostgreSQL a list is one array for each column. */
export function* forPostgres(query: Query): Generator<Run> {
  const text = postgresTexts.form(query, () => postgresText(query))
  const records = query.parts.find(part => part instanceof Records)
  const items = records ? records.items : []
  const step = records?.use === 'values' ? rowsOnTheWay : Math.max(1, items.length)
  for (let at = 0; at < Math.max(1, items.length); at += step) {
    const parameters: Value[] = []
    const some = items.slice(at, at + step)
    for (const part of query.parts) {
      if (part instanceof Raw) continue
      if (part instanceof Records)
        parameters.push(
          ...Object.entries(part.columns).map(([name, type]) => arrayOf(some, name, type)),
          ...Object.values(part.same),
        )
      else parameters.push(plain(part))
    }
    yield { text, parameters }
  }
}

/** An array as PostgreSQL reads it. Written here, because pg's own way quotes and escapes numbers too. */
function arrayOf(items: Items, name: string, type: 'text' | 'bigint'): string {
  const written = items.map(item => {
    const value = plain(item[name]!)
    return value === null ? 'NULL' : type === 'bigint' ? value : quoted(String(value))
  })
  return `{${written.join(',')}}`
}

const quoted = (text: string) => `"${/["\\]/.test(text) ? text.replaceAll(/["\\]/g, '\\$&') : text}"`

function postgresText({ strings, parts }: Query): string {
  let count = 0
  const place = () => {
    count += 1
    return `$${count}`
  }
  let text = strings[0]!
  parts.forEach((part, index) => {
    if (part instanceof Raw) text += part.text
    else if (part instanceof Records) {
      const names = Object.keys(part.columns)
      const arrays = names.map(name => `${place()}::${part.columns[name]}[]`).join(', ')
      const list = names.join(', ')
      if (part.use === 'values') {
        const same = Object.entries(part.same)
        const constants = same.map(
          ([, value]) => `, ${place()}::${typeof value === 'number' ? 'bigint' : 'text'}`,
        )
        text += `(${[...names, ...same.map(([name]) => name)].join(', ')}) SELECT r.*${constants.join('')} `
      }
      text += `FROM unnest(${arrays}) AS r(${list})`
    } else text += place()
    text += strings[index + 1]!
  })
  return text
}

/** Rows that one insert on SQLite takes at once; what is left over goes in one by one. */
const rowsAtOnce = 16
const sqliteTexts = new Memory<SqliteText>()
const sqliteTextsAtOnce = new Memory<SqliteText>()

/**
 * For SQLite a list is several runs. Its parameters have no numbers, because node:sqlite binds numbered ones at a cost
 * that grows with their square; so each place says where its value comes from.
 */
type SqliteText = { text: string; sources: readonly Source[] }
type Source = { part: number } | { column: string }

export function* forSqlite(query: Query): Generator<Run> {
  const records = query.parts.find(part => part instanceof Records)
  const items = records ? records.items : [{}]
  let at = 0
  if (records?.use === 'values' && items.length >= rowsAtOnce) {
    const text = sqliteTextsAtOnce.form(query, () => sqliteText(query, rowsAtOnce))
    for (; items.length - at >= rowsAtOnce; at += rowsAtOnce)
      yield fill(query, text, items.slice(at, at + rowsAtOnce))
  }
  if (at === items.length) return
  const text = sqliteTexts.form(query, () => sqliteText(query, 1))
  for (; at < items.length; at += 1) yield fill(query, text, [items[at]!])
}

function sqliteText({ strings, parts }: Query, count: number): SqliteText {
  const records = parts.find(part => part instanceof Records)
  const sources: Source[] = []
  /** `r.status` is a parameter wherever it stands. */
  const withoutRecord = (text: string) =>
    text.replaceAll(/\br\.(\w+)/g, (same, column: string) => {
      if (records?.use !== 'from' || !Object.hasOwn(records.columns, column)) return same
      sources.push({ column })
      return '?'
    })
  let text = withoutRecord(strings[0]!)
  parts.forEach((part, index) => {
    if (part instanceof Raw) text += withoutRecord(part.text)
    else if (part instanceof Records) {
      if (part.use === 'values') text += valuesText(part, count, sources)
    } else {
      sources.push({ part: index })
      text += '?'
    }
    text += withoutRecord(strings[index + 1]!)
  })
  return { text: withoutUndo(text), sources }
}

/**
 * A statement that fails fails its transaction, so it need not be undone by itself. Unless it is told so, SQLite copies
 * every page that an insert of several rows changes, which takes as long as the insert.
 */
const withoutUndo = (text: string) => text.replace(/^\s*(INSERT|UPDATE)\b/, '$1 OR FAIL')

function valuesText({ columns, same }: Records, count: number, sources: Source[]): string {
  const names = [...Object.keys(columns), ...Object.keys(same)]
  for (const column of names) sources.push({ column })
  const row = `(${names.map(() => '?').join(', ')})`
  return `(${names.join(', ')}) VALUES ${Array(count).fill(row).join(', ')}`
}

/** An insert of several rows takes the same columns from each; anything else is about one record at most. */
function fill({ parts }: Query, { text, sources }: SqliteText, items: Items): Run {
  const same = parts.find(part => part instanceof Records)?.same ?? {}
  const parameters: Value[] = []
  for (const item of items)
    for (const source of sources)
      parameters.push(
        plain(
          'column' in source
            ? (item[source.column] ?? same[source.column] ?? null)
            : (parts[source.part] as Value),
        ),
      )
  return { text, parameters }
}
