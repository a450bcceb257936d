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
  constructor(use: Records['use'], columns: Columns, items: Items) {
    this.use = use
    this.columns = columns
    this.items = items
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
 * `FROM` a list of records, each called `r`: `UPDATE messages SET status = r.status ${from({…}, items)} WHERE
 * messages.id = r.id`. PostgreSQL takes all items in one statement. On SQLite, where a statement costs no journey, it
 * runs once for each, and `r.status` is simply a parameter. So within one list no two items may concern the same row.
 */
export const from = <Column extends string>(
  columns: Readonly<Record<Column, 'text' | 'bigint'>>,
  items: readonly Readonly<Record<Column, Value>>[],
): Records => new Records('from', columns, items)

/** Rows to insert: `INSERT INTO events ${values({…}, items)}`. */
export const values = <Column extends string>(
  columns: Readonly<Record<Column, 'text' | 'bigint'>>,
  items: readonly Readonly<Record<Column, Value>>[],
): Records => new Records('values', columns, items)

/** A connection one can ask. SQLite answers at once, PostgreSQL with a promise; `await` serves both. */
export interface Sql {
  all<Row>(query: Query): Row[] | Promise<Row[]>
}

/** A statement and its parameters. */
export type Run<Parameter> = { text: string; parameters: Parameter[] }

const plain = (value: Value): Value => (typeof value === 'boolean' ? Number(value) : value)

/** Texts are made once for each place in the program that has one; only `varying` makes them anew. */
const texts = new Map<string, WeakMap<TemplateStringsArray, string>>()
function remember(form: string, query: Query, make: () => string): string {
  let known = texts.get(form)
  if (!known) {
    known = new WeakMap()
    texts.set(form, known)
  }
  let text = known.get(query.strings)
  if (text === undefined) {
    text = make()
    if (!query.parts.some(part => part instanceof Raw && part.varies)) known.set(query.strings, text)
  }
  return text
}

/** Puts a statement together; `list` says how the records look in its text. */
function textOf(query: Query, place: () => string, list: (records: Records) => string): string {
  let text = query.strings[0]!
  query.parts.forEach((part, index) => {
    if (part instanceof Raw) text += part.text
    else if (part instanceof Records) text += list(part)
    else text += place()
    text += query.strings[index + 1]!
  })
  return text
}

/** For PostgreSQL a list is one array for each column. */
export function forPostgres(query: Query): Run<Value | Value[]> {
  const text = remember('postgres', query, () => {
    let count = 0
    const place = () => {
      count += 1
      return `$${count}`
    }
    return textOf(query, place, ({ use, columns }) => {
      const names = Object.keys(columns)
      const arrays = names.map(name => `${place()}::${columns[name]}[]`).join(', ')
      const unnest = `unnest(${arrays}) AS r(${names.join(', ')})`
      return use === 'from' ? `FROM ${unnest}` : `(${names.join(', ')}) SELECT * FROM ${unnest}`
    })
  })
  const parameters: (Value | Value[])[] = []
  for (const part of query.parts) {
    if (part instanceof Raw) continue
    if (part instanceof Records)
      for (const name of Object.keys(part.columns)) parameters.push(part.items.map(item => plain(item[name]!)))
    else parameters.push(plain(part))
  }
  return { text, parameters }
}

/** Rows that one insert on SQLite takes at once; what is left over goes in one by one. */
const rowsAtOnce = 16

/** For SQLite a list is several runs. */
export function* forSqlite(query: Query): Generator<Run<Value>> {
  const records = query.parts.find(part => part instanceof Records)
  if (!records) {
    yield { text: sqliteText(query, 1), parameters: parametersWith(query, []) }
    return
  }
  const { items } = records
  const large = records.use === 'values' ? rowsAtOnce : 1
  let at = 0
  while (at < items.length) {
    const count = items.length - at >= large ? large : 1
    yield { text: sqliteText(query, count), parameters: parametersWith(query, items.slice(at, at + count)) }
    at += count
  }
}

function sqliteText(query: Query, count: number): string {
  return remember(`sqlite ${count}`, query, () => {
    let last = 0
    const place = () => {
      last += 1
      return `?${last}`
    }
    const placeOf: Record<string, string> = {}
    const text = textOf(query, place, ({ use, columns }) => {
      const names = Object.keys(columns)
      if (use === 'from') {
        for (const name of names) placeOf[name] = place()
        return ''
      }
      const row = () => `(${names.map(place).join(', ')})`
      return `(${names.join(', ')}) VALUES ${Array.from({ length: count }, row).join(', ')}`
    })
    return text.replaceAll(/\br\.(\w+)/g, (same, name) => placeOf[name] ?? same)
  })
}

function parametersWith(query: Query, items: Items): Value[] {
  const parameters: Value[] = []
  for (const part of query.parts) {
    if (part instanceof Raw) continue
    if (part instanceof Records) {
      const names = Object.keys(part.columns)
      for (const item of items) for (const name of names) parameters.push(plain(item[name]!))
    } else parameters.push(plain(part))
  }
  return parameters
}
