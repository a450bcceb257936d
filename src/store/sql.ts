/** SQL as a value: text and parameters kept apart, one wording for both databases. */

export type Dialect = 'sqlite' | 'postgres'

export type Value = string | number | boolean | null

/** SQL text that is part of the program, never of a request. */
class Raw {
  readonly text: string
  readonly varies: boolean
  constructor(text: string, varies: boolean) {
    this.text = text
    this.varies = varies
  }
}

/** A list of records that a statement works through. */
class Rows {
  readonly alias: string
  readonly columns: Readonly<Record<string, 'text' | 'bigint'>>
  readonly items: readonly Readonly<Record<string, Value>>[]
  constructor(alias: string, columns: Rows['columns'], items: Rows['items']) {
    this.alias = alias
    this.columns = columns
    this.items = items
  }
}

export type Query = { strings: TemplateStringsArray; parts: readonly (Value | Raw | Rows)[] }

export function sql(strings: TemplateStringsArray, ...parts: (Value | Raw | Rows)[]): Query {
  return { strings, parts }
}

/** Text that is the same each time its statement is used. */
export const raw = (text: string): Raw => new Raw(text, false)

/** Text that one statement uses in several forms, such as the name of a column. */
export const varying = (text: string): Raw => new Raw(text, true)

/**
 * A table made of parameters, to read from as `FROM ${rows('r', {…}, items)}`. PostgreSQL takes all items in one
 * statement; on SQLite, where a statement costs no journey, it runs once for each. So within one list no two items may
 * concern the same row.
 */
export const rows = <Column extends string>(
  alias: string,
  columns: Readonly<Record<Column, 'text' | 'bigint'>>,
  items: readonly Readonly<Record<Column, Value>>[],
): Rows => new Rows(alias, columns, items)

/** A list of words for `IN (…)`, from a table of the program. */
export const words = (list: readonly string[]): Raw => raw(list.map(word => `'${word}'`).join(', '))


/** Texts are made once for each place in the program that has one; only `varying` makes them anew. */
const texts: Record<Dialect, WeakMap<TemplateStringsArray, string>> = {
  sqlite: new WeakMap(),
  postgres: new WeakMap(),
}

export function textOf(query: Query, dialect: Dialect): string {
  const known = texts[dialect].get(query.strings)
  if (known !== undefined) return known
  let text = query.strings[0]!
  let count = 0
  let varies = false
  const placeholder = () => {
    count += 1
    return dialect === 'sqlite' ? '?' : `$${count}`
  }
  query.parts.forEach((part, index) => {
    if (part instanceof Raw) {
      text += part.text
      varies ||= part.varies
    } else if (part instanceof Rows) text += tableText(part, dialect, placeholder)
    else text += placeholder()
    text += query.strings[index + 1]!
  })
  if (!varies) texts[dialect].set(query.strings, text)
  return text
}

function tableText({ alias, columns }: Rows, dialect: Dialect, placeholder: () => string): string {
  const names = Object.keys(columns)
  if (dialect === 'sqlite') return `(SELECT ${names.map(name => `${placeholder()} AS ${name}`).join(', ')}) AS ${alias}`
  const arrays = names.map(name => `${placeholder()}::${columns[name]}[]`)
  return `unnest(${arrays.join(', ')}) AS ${alias}(${names.join(', ')})`
}

const plain = (value: Value): Value => (typeof value === 'boolean' ? Number(value) : value)

/** The parameters for SQLite: one list for each run. */
export function runsOf(query: Query): Value[][] {
  const table = query.parts.find(part => part instanceof Rows)
  if (!table) return [query.parts.filter(part => !(part instanceof Raw)).map(part => plain(part as Value))]
  const names = Object.keys(table.columns)
  return table.items.map(item => {
    const values: Value[] = []
    for (const part of query.parts) {
      if (part === table) for (const name of names) values.push(plain(item[name]!))
      else if (!(part instanceof Raw) && !(part instanceof Rows)) values.push(plain(part))
    }
    return values
  })
}

/** The parameters for PostgreSQL: a list becomes one array for each column. */
export function parametersOf(query: Query): (Value | Value[])[] {
  const values: (Value | Value[])[] = []
  for (const part of query.parts) {
    if (part instanceof Raw) continue
    if (part instanceof Rows)
      for (const name of Object.keys(part.columns)) values.push(part.items.map(item => plain(item[name]!)))
    else values.push(plain(part))
  }
  return values
}

/** A connection one can ask. SQLite answers at once, PostgreSQL with a promise; `await` serves both. */
export interface Sql {
  all<Row>(query: Query): Row[] | Promise<Row[]>
}
