/** What the documents claim about the code holds because of how it is made, and not because somebody took care. */

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import pg from 'pg'
import { moves, statuses } from '../src/core/messages/message.ts'
import { normaliseNumber } from '../src/core/people/number.ts'
import { writerOf } from '../src/edge/serialization.ts'
import { checker } from '../src/edge/validation.ts'
import { emptied, tables, transient } from '../src/store/backup.ts'
import { openStore } from '../src/store/open.ts'
import { normalise } from '../web/src/pages/bulk/list.ts'
import { databases } from './standins/databases.ts'

const root = join(import.meta.dirname, '..')
const store = globSync('src/store/**/*.ts', { cwd: root }).map(file => ({
  file,
  text: readFileSync(join(root, file), 'utf8'),
}))

const withoutComments = (text: string) => text.replaceAll(/\/\*[\s\S]*?\*\//g, '')

test('the state of a message changes in one statement, guarded by the table of moves', () => {
  // Up to the condition, which may well ask for a state.
  const changing = store.filter(({ text }) =>
    /UPDATE\s+messages\s+SET(?:(?!\bWHERE\b)[^`])*?\bstatus\s*=/.test(withoutComments(text)),
  )
  assert.deepEqual(
    changing.map(({ file }) => file),
    ['src/store/messages/move.ts'],
  )
  for (const [from, to] of Object.entries(moves))
    for (const status of to) assert.ok(statuses.includes(status), `${from} → ${status}`)
})

test('every schema can be checked against and written by: they are made only when first asked for', async () => {
  const files = globSync('src/http/**/{*schemas,shapes}.ts', { cwd: root })
  let count = 0
  for (const file of files)
    for (const [name, schema] of Object.entries(await import(join(root, file)))) {
      const isSchema =
        typeof schema === 'object' && schema !== null && ('type' in schema || 'anyOf' in schema)
      if (!isSchema) continue
      count += 1
      assert.doesNotThrow(() => writerOf(schema), `${file}: ${name}`)
      assert.doesNotThrow(() => checker(schema)(Symbol('nothing fits')), `${file}: ${name}`)
    }
  assert.ok(count > 50, `${count} schemas`)
})

/** Every table with its columns, in the order of the alphabet. */
const columnsOf: Record<string, (url: string) => Promise<Map<string, string[]>>> = {
  SQLite: async url => {
    const database = new DatabaseSync(url.slice('sqlite:'.length))
    const rows = database
      .prepare(`SELECT m.name AS "table", c.name AS "column" FROM sqlite_master m, pragma_table_info(m.name) c
        WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' ORDER BY 1, 2`)
      .all() as { table: string; column: string }[]
    database.close()
    return grouped(rows)
  },
  PostgreSQL: async url => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    const { rows } = await client.query(
      `SELECT table_name AS "table", column_name AS "column" FROM information_schema.columns
       WHERE table_schema = 'public' ORDER BY table_name COLLATE "C", column_name COLLATE "C"`,
    )
    await client.end()
    return grouped(rows)
  },
}
const grouped = (rows: readonly { table: string; column: string }[]) =>
  new Map(
    [...Map.groupBy(rows, ({ table }) => table)].map(([table, same]) => [
      table,
      same.map(({ column }) => column),
    ]),
  )

test('the dashboard reads numbers as the gateway does', () => {
  const signs = ['+', '0', '00', '1', '9', '15550101234', ' ', '-', '.', '(', ')', '\t', '\u00a0', '٣', 'x']
  let seed = 1
  const next = (below: number) => {
    seed = (seed * 16_807) % 2_147_483_647
    return seed % below
  }
  for (let n = 0; n < 20_000; n += 1) {
    const text = Array.from({ length: next(12) }, () => signs[next(signs.length)]).join('')
    assert.equal(normalise(text), normaliseNumber(text), JSON.stringify(text))
  }
})

const schemas = new Map<string, Map<string, string[]>>()
for (const { name, empty } of databases)
  test(`no table is forgotten in backups on ${name}`, async () => {
    const url = await empty()
    await (await openStore(url, { now: Date.now })).close()
    const found = await columnsOf[name]!(url)
    schemas.set(name, found)
    const known = [...Object.keys(tables), ...emptied, ...transient]
    assert.equal(new Set(known).size, known.length, 'a table is in two lists')
    // Only PostgreSQL counts requests in the database.
    const expected = known.filter(table => name === 'PostgreSQL' || table !== 'request_windows')
    assert.deepEqual([...found.keys()].sort(), expected.sort())
  })
test('both databases have the same tables with the same columns', () => {
  const [one, other] = ['SQLite', 'PostgreSQL'].map(name => new Map(schemas.get(name)))
  other!.delete('request_windows')
  assert.deepEqual([...one!].sort(), [...other!].sort())
})
