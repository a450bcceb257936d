/** Every shape with a title, wherever it stands, is a component of the OpenAPI document: described once, named in the SDK. */

type Json = Record<string, unknown>
type Schema = Json & { title?: string }

export const reference = (schema: object): Json => {
  const { title } = schema as Schema
  return title === undefined ? (schema as Json) : { $ref: `#/components/schemas/${title}` }
}

export class NamedSchemas {
  readonly #found = new Map<string, { text: string; schema: Json }>()

  /** Notes a shape and all within it. */
  collect(schema: object): void {
    const { title } = schema as Schema
    const described = this.#within(schema as Json)
    if (title === undefined) return
    const text = JSON.stringify(described)
    const known = this.#found.get(title)
    if (known && known.text !== text) throw new Error(`Two shapes are called ${title}.`)
    this.#found.set(title, { text, schema: described })
  }

  all(): Record<string, Json> {
    return Object.fromEntries([...this.#found].map(([title, { schema }]) => [title, schema]))
  }

  /** The same shape, with names in place of the named ones in it. */
  #within(schema: Json): Json {
    return Object.fromEntries(
      Object.entries(schema).map(([name, value]) => [name, this.#replaced(value, name === 'properties')]),
    )
  }

  /** `isTable`: its keys are names of fields, one of which may well be `title`. */
  #replaced(value: unknown, isTable: boolean): unknown {
    if (Array.isArray(value)) return value.map(one => this.#replaced(one, false))
    if (typeof value !== 'object' || value === null) return value
    if (isTable)
      return Object.fromEntries(
        Object.entries(value).map(([name, inner]) => [name, this.#replaced(inner, false)]),
      )
    if (typeof (value as Schema).title !== 'string') return this.#within(value as Json)
    this.collect(value)
    return reference(value)
  }
}
