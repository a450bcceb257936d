/** Writes answers by their schemas: only what is described leaves, and each writer is built on first use. */

import fastJson from 'fast-json-stringify'

type Write = (value: unknown) => string

/** The same shape answers under several paths and in both environments. */
const writers = new WeakMap<object, Write>()

export function writerOf(schema: object): Write {
  const known = writers.get(schema)
  if (known) return known
  const made: Write = fastJson(schema)
  writers.set(schema, made)
  return made
}

export function writer(schema: object): Write {
  let write: Write | undefined
  return value => {
    write ??= writerOf(schema)
    return write(value)
  }
}
