/**
 * Schemas: plain JSON Schema that carries the type of what it describes. The types are TypeBox's; the few builders that
 * we use are written here, because loading all of TypeBox took a third of the time in which a gateway starts.
 */

import type { Type as TypeBox } from 'typebox'

export type { Static } from 'typebox'

type Schema = Record<string, unknown>
type Options = Schema | undefined

/** Seen by `object` alone: it is no part of the schema, and copies of a schema do not have it. */
const optional = Symbol('optional')
const isOptional = (schema: Schema) => optional in schema
const asOptional = (schema: Schema): Schema => Object.defineProperty({ ...schema }, optional, { value: true })

const simple = (type: string) => (options: Options) => ({ type, ...options })

function object(properties: Record<string, Schema>, options: Options): Schema {
  const required = Object.keys(properties).filter(name => !isOptional(properties[name]!))
  return { type: 'object', ...(required.length > 0 && { required }), properties, ...options }
}

function partial({ type: _, required: __, properties, ...rest }: Schema, options: Options): Schema {
  const all = Object.entries(properties as Record<string, Schema>)
  return object(Object.fromEntries(all.map(([name, schema]) => [name, asOptional(schema)])), {
    ...rest,
    ...options,
  })
}

const builders = {
  String: simple('string'),
  Boolean: simple('boolean'),
  Integer: simple('integer'),
  Number: simple('number'),
  Null: simple('null'),
  Unknown: (options: Options) => ({ ...options }),
  Literal: (value: unknown, options: Options) => ({ type: typeof value, const: value, ...options }),
  Array: (items: Schema, options: Options) => ({ type: 'array', items, ...options }),
  Union: (anyOf: readonly Schema[], options: Options) => ({ anyOf, ...options }),
  Object: object,
  Partial: partial,
  Optional: asOptional,
  Unsafe: (schema: Schema) => schema,
}

export const Type = builders as unknown as Pick<typeof TypeBox, keyof typeof builders>
