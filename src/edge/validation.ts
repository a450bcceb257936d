/** Checks requests against their schemas and says what is wrong in words people understand. */

import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import { limits } from '../core/limits.ts'
import { Problem, type ProblemPart } from '../core/problem.ts'

/** No coercion, no dropped fields, no filled-in defaults: what was sent is what is judged. */
const settings = {
  coerceTypes: false,
  removeAdditional: false,
  useDefaults: false,
  validateFormats: false,
} as const
const quick = new Ajv({ ...settings, allErrors: false })
const thorough = new Ajv({ ...settings, allErrors: true })
const mostErrors = limits.validationErrors.value
/** Beyond this many fields or items, listing every mistake would cost more than it helps. */
const manyMembers = 200

export type Schema = { properties?: Record<string, unknown>; required?: readonly string[] }

/** A body in which nothing is required need not be there. */
export const mayBeLeftOut = (schema: object): boolean => ((schema as Schema).required ?? []).length === 0

/**
 * Many clients write null for an optional field they leave out. Where null has no meaning of its own, it is taken as
 * that. Works on the value itself, which nobody else has seen yet.
 */
export function dropNulls(value: unknown, schema: object): void {
  const { properties = {}, required = [] } = schema as Schema
  if (!isObject(value) || Array.isArray(value)) return
  const fields = value as Record<string, unknown>
  for (const [name, shape] of Object.entries(properties)) {
    if (fields[name] === null && !required.includes(name) && !acceptsNull(shape)) delete fields[name]
    else if (isObject(fields[name])) dropNulls(fields[name], shape as object)
  }
}

const acceptsNull = (shape: unknown): boolean => {
  const { type, anyOf } = shape as { type?: unknown; anyOf?: readonly unknown[] }
  return [type].flat().includes('null') || (anyOf ?? []).some(acceptsNull)
}

/** A function that says what is wrong with a value, or undefined when it fits. */
export function checker(schema: object): (value: unknown) => Problem | undefined {
  let fits: ValidateFunction | undefined
  let everything: ValidateFunction | undefined
  return value => {
    // Made when it is first needed; Ajv itself knows what it made before.
    fits ??= quick.compile(schema)
    if (fits(value)) return undefined
    const first = fits.errors![0]!
    // A huge body with thousands of mistakes gets one of them; an ordinary one gets them all.
    if (first.keyword === 'maxItems' || isLarge(value)) return problemOf([first], schema)
    everything ??= thorough.compile(schema)
    everything(value)
    return problemOf(everything.errors!, schema)
  }
}

const isLarge = (value: unknown): boolean =>
  hasManyMembers(value) || (isObject(value) && Object.values(value).some(hasManyMembers))

const hasManyMembers = (value: unknown) => isObject(value) && Object.keys(value).length > manyMembers

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Where null is allowed beside something else, only what is wrong with the something is worth saying. */
function telling(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const choices = new Set(
    errors.filter(({ keyword }) => keyword === 'anyOf').map(error => error.instancePath),
  )
  const isNoise = ({ keyword, instancePath, params }: ErrorObject) =>
    choices.has(instancePath) && (keyword === 'anyOf' || (keyword === 'type' && params.type === 'null'))
  const rest = errors.filter(error => !isNoise(error))
  return rest.length > 0 ? rest : errors
}

function problemOf(all: readonly ErrorObject[], schema: object): Problem {
  const errors = telling(all)
  const parts = errors.slice(0, mostErrors).map(error => partOf(error, schema))
  // A field nobody knows is told first: it explains why another one is missing.
  const first = ['unknown_field', 'too_many_recipients'] as const
  const code = first.find(one => parts.some(part => part.code === one)) ?? 'invalid_request'
  return new Problem(code, parts.map(part => part.detail).join(' '), { errors: parts })
}

function partOf(error: ErrorObject, schema: object): ProblemPart {
  const { instancePath: pointer, keyword, params } = error
  const name = pointer === '' ? 'The body' : pointer.slice(1).replaceAll('/', '.')
  switch (keyword) {
    case 'additionalProperties': {
      const field = String(params.additionalProperty)
      return {
        pointer: `${pointer}/${field.slice(0, 60)}`,
        code: 'unknown_field',
        detail: `There is no field “${field.slice(0, 60)}”.${suggestion(field, schema)}`,
      }
    }
    case 'required':
      return {
        pointer: `${pointer}/${params.missingProperty}`,
        code: 'missing',
        detail: `${params.missingProperty} is missing.`,
      }
    case 'type': {
      const types = [params.type].flat().map(type => (type === 'null' ? 'null' : article(String(type))))
      return { pointer, code: 'wrong_type', detail: `${name} must be ${types.join(' or ')}.` }
    }
    case 'minLength':
      return { pointer, code: 'empty', detail: `${name} must not be empty.` }
    case 'minItems':
      return { pointer, code: 'empty', detail: `${name} must not be empty.` }
    case 'maxItems':
      if (pointer !== '/recipients')
        return { pointer, code: 'too_long', detail: `${name} must have at most ${params.limit} items.` }
      return {
        pointer,
        code: 'too_many_recipients',
        detail: `At most ${params.limit} recipients in one request.`,
      }
    case 'minimum':
    case 'maximum':
      return {
        pointer,
        code: 'out_of_range',
        detail: `${name} must be ${keyword === 'minimum' ? 'at least' : 'at most'} ${params.limit}.`,
      }
    case 'enum': {
      const allowed = (params.allowedValues as unknown[]).join(', ')
      return { pointer, code: 'invalid', detail: `${name} must be one of ${allowed}.` }
    }
    case 'maxLength':
      return {
        pointer,
        code: 'too_long',
        detail: `${name} must not be longer than ${params.limit} characters.`,
      }
    default:
      return { pointer, code: 'invalid', detail: `${name} ${error.message ?? 'is not valid'}.` }
  }
}

const article = (type: string) => (/^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`)

/** A misspelt field is refused, with a suggestion of the right name. */
function suggestion(field: string, schema: object): string {
  const known = Object.keys((schema as Schema).properties ?? {})
  const near = known
    .map(name => ({ name, distance: distance(field.toLowerCase().slice(0, 40), name) }))
    .sort((a, b) => a.distance - b.distance)[0]
  return near && near.distance <= Math.ceil(near.name.length / 4) ? ` Did you mean “${near.name}”?` : ''
}

/** Levenshtein's: how many letters must change. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= b.length; j += 1)
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1))
    row = next
  }
  return row[b.length]!
}
