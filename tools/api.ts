/** Writes what follows from the code: openapi.json, the SDK's types, the list of routes, the schema. With --check it only says whether they are up to date. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { version } from '../src/host/version.ts'
import { routes } from '../src/http/api/routes.ts'
import { sessionRoutes } from '../src/http/session/routes.ts'
import { teamRoutes } from '../src/http/session/team-routes.ts'
import { NamedSchemas } from '../src/http/site/named-schemas.ts'
import { openApi } from '../src/http/site/openapi.ts'
import { openStore } from '../src/store/open.ts'

type Schema = {
  $ref?: string
  type?: string | string[]
  description?: string
  enum?: string[]
  const?: unknown
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean
}

/** The document needs the routes' shapes, not their doings. */
const nothing = {} as never
const table = routes({
  gateway: nothing,
  canceler: nothing,
  store: nothing,
  fleet: nothing,
  journal: nothing,
  admin: nothing,
  erasure: nothing,
  devices: nothing,
  keys: nothing,
  stats: nothing,
  nodes: nothing,
  readFile: nothing,
  configure: nothing,
})
const document = openApi(table, version)
const schemas = document.components.schemas as Record<string, Schema>
const queries = table.flatMap(({ query }) => (query ? [query as Schema & { title: string }] : []))

function typeOf(schema: Schema, indent: string): string {
  if (schema.$ref) return schema.$ref.split('/').at(-1)!
  if (schema.anyOf) return schema.anyOf.map(inner => typeOf(inner, indent)).join(' | ')
  if (schema.enum) return schema.enum.map(word => `'${word}'`).join(' | ')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (Array.isArray(schema.type)) return schema.type.map(type => typeOf({ type }, indent)).join(' | ')
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type
    case 'integer':
    case 'number':
      return 'number'
    case 'array': {
      const inner = typeOf(schema.items!, indent)
      return inner.includes(' ') ? `Array<${inner}>` : `${inner}[]`
    }
    case 'object':
      return objectOf(schema, indent)
    default:
      return 'unknown'
  }
}

function objectOf({ properties = {}, required = [], additionalProperties }: Schema, indent: string): string {
  const inner = `${indent}  `
  const lines = Object.entries(properties).flatMap(([name, schema]) => [
    ...(schema.description ? [`${inner}/** ${schema.description} */`] : []),
    `${inner}${name}${required.includes(name) ? '' : '?'}: ${typeOf(schema, inner)}`,
  ])
  if (additionalProperties === true) lines.push(`${inner}[name: string]: unknown`)
  return `{\n${lines.join('\n')}\n${indent}}`
}

const named = [...Object.entries(schemas), ...queries.map(query => [query.title, query] as const)]
const types = [
  '/** The shapes of the API. Written by `npm run api` from the schemas that the gateway checks with. */',
  ...named
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([name, schema]) => `export type ${name} = ${typeOf(schema as Schema, '')}`),
]
const sessionShapes = [...sessionRoutes(nothing), ...teamRoutes(nothing)].flatMap(
  ({ body, query, response }) => [body, query, response],
)
const sessionNamed = new NamedSchemas()
for (const shape of sessionShapes) if (shape) sessionNamed.collect(shape)
const sessionTypes = [
  '/** The shapes of /session. Written by `npm run api` from the schemas that the gateway checks with. */',
  ...Object.entries(sessionNamed.all())
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([name, schema]) => `export type ${name} = ${typeOf(schema as Schema, '')}`),
]
/** The newest schema as SQLite has it after every migration, for people to read in one place. */
async function schemaOf(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'basestation-schema-'))
  const path = join(folder, 'schema.db')
  await (await openStore(`sqlite:${path}`, { now: Date.now })).close()
  const database = new DatabaseSync(path)
  const rows = database
    .prepare(`SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY tbl_name, type DESC, name`)
    .all() as { sql: string }[]
  database.close()
  rmSync(folder, { recursive: true })
  const head =
    '-- The schema after all migrations, on SQLite. Written by `npm run api`; migrations/ is what counts.'
  return `${head}\n\n${rows.map(({ sql }) => `${sql};`).join('\n')}\n`
}

/** A line for each route. */
const routeLines = table.flatMap(({ method, paths, scope, operation, summary }) =>
  paths.map(
    (path, index) =>
      `| \`${method}\` | \`${path}\` | \`${scope}\` | \`${operation}\` | ${index === 0 ? summary : 'the same'} |`,
  ),
)
const sessionLines = [...sessionRoutes(nothing), ...teamRoutes(nothing)].map(
  ({ method, path, access, operation, asksPassword }) =>
    `| \`${method}\` | \`/session${path === '/' ? '' : path}\` | ${access}${asksPassword ? ', password' : ''} | \`${operation}\` |`,
)
const routePage = `# Routes

Written by \`npm run api\` from the routes themselves. Each path is below \`/api/v1\` (production) and \`/staging/api/v1\` (staging).

| method | path | scope | operation | |
| --- | --- | --- | --- | --- |
${routeLines.join('\n')}

## For the dashboard

With a session's cookie. *password*: it must have been given within the last 15 minutes.

| method | path | who | operation |
| --- | --- | --- | --- |
${sessionLines.join('\n')}
`
const files: Record<string, string> = {
  'src/store/schema.sql': await schemaOf(),
  'docs/routes.md': routePage,
  'sdk/src/session-api.ts': `${sessionTypes.join('\n\n')}\n`,
  'openapi.json': `${JSON.stringify(document, null, 2)}\n`,
  'sdk/src/api.ts': `${types.join('\n\n')}\n`,
}

for (const [name, text] of Object.entries(files)) {
  const path = new URL(`../${name}`, import.meta.url)
  if (!process.argv.includes('--check')) writeFileSync(path, text)
  else if (readFileSync(path, 'utf8') !== text) {
    console.error(`${name} is not what the code says. Run: npm run api`)
    process.exitCode = 1
  }
}
