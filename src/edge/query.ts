/** Queries as they arrive: text. */

import { Problem } from '../core/problem.ts'

export const noQuery = { type: 'object', properties: {}, additionalProperties: false }

export const badParameter = (name: string, detail: string) =>
  new Problem('invalid_request', `${name} ${detail}.`, {
    errors: [{ pointer: `/${name}`, code: 'invalid', detail }],
  })

/** A query is text: where the schema wants an integer and the text is one, it becomes one. Nothing else is converted. */
export function readQuery(query: Readonly<Record<string, unknown>>, schema: object): Record<string, unknown> {
  const { properties = {} } = schema as { properties?: Record<string, { type?: string }> }
  // Without a prototype, so that a parameter called __proto__ is one like any other.
  const read = Object.create(null) as Record<string, unknown>
  for (const name in query) {
    const value = query[name]
    if (String(value).includes('\0'))
      throw badParameter(name.slice(0, 60), 'must not contain a NUL character')
    const isInteger =
      properties[name]?.type === 'integer' && typeof value === 'string' && /^\d{1,15}$/.test(value)
    read[name] = isInteger ? Number(value) : value
  }
  return read
}
