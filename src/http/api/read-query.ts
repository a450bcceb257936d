/** Queries as they arrive: text. */

import { bad } from './query.ts'

export const noQuery = { type: 'object', properties: {}, additionalProperties: false }

/** A query is text: where the schema wants an integer and the text is one, it becomes one. Nothing else is converted. */
export function readQuery(
  query: Record<string, unknown>,
  schema: object | undefined,
): Record<string, unknown> {
  const properties =
    (schema as { properties?: Record<string, { type?: string }> } | undefined)?.properties ?? {}
  // Without a prototype, so that a parameter called __proto__ is one like any other.
  const read = Object.create(null) as Record<string, unknown>
  for (const [name, value] of Object.entries(query)) {
    if (String(value).includes('\0')) throw bad(name.slice(0, 60), 'must not contain a NUL character')
    const isInteger =
      properties[name]?.type === 'integer' && typeof value === 'string' && /^\d{1,15}$/.test(value)
    read[name] = isInteger ? Number(value) : value
  }
  return read
}
