/** Reads a JSON body strictly: what a lenient parser would repair or drop in silence is refused. */

import { limits } from '../core/limits.ts'
import { Problem } from '../core/problem.ts'

const deepest = limits.jsonDepth.value
const mostKeys = limits.jsonKeys.value
const decoder = new TextDecoder('utf-8', { fatal: true })

export function readJson(bytes: Uint8Array): unknown {
  let text: string
  try {
    text = decoder.decode(bytes)
  } catch {
    throw new Problem('invalid_json', 'The body is not valid UTF-8.')
  }
  inspect(text)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new Problem('invalid_json', `The body is not valid JSON: ${(error as Error).message.slice(0, 100)}`)
  }
  // Raw text that decoded is well-formed; only escapes can smuggle in NUL and half characters.
  if (text.includes('\\u')) checkStrings(value, '')
  return value
}

/**
 * Walks over the text once, before anything is built from it: nesting and the number of keys are bounded, and no
 * object has a key twice. It need not judge the grammar, which JSON.parse does.
 */
function inspect(text: string): void {
  const open: (Set<string> | undefined)[] = []
  let keys = 0
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at)
    if (character === 0x22 /* " */) {
      const end = endOfString(text, at)
      if (isKey(text, end)) {
        keys += 1
        if (keys > mostKeys) throw new Problem('invalid_json', `The body has more than ${mostKeys} keys.`)
        noteKey(open.at(-1), text.slice(at, end))
      }
      at = end - 1
    } else if (character === 0x7b /* { */ || character === 0x5b /* [ */) {
      open.push(character === 0x7b ? new Set() : undefined)
      if (open.length > deepest)
        throw new Problem('invalid_json', `The body is nested deeper than ${deepest} levels.`)
    } else if (character === 0x7d /* } */ || character === 0x5d /* ] */) open.pop()
  }
}

/** The position behind the closing quote. */
function endOfString(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1)
  while (quote > 0 && isEscaped(text, quote)) quote = text.indexOf('"', quote + 1)
  return quote < 0 ? text.length : quote + 1
}

/** With an odd number of backslashes before it, it is. */
function isEscaped(text: string, at: number): boolean {
  let first = at
  while (text.charCodeAt(first - 1) === 0x5c /* \\ */) first -= 1
  return (at - first) % 2 === 1
}

function isKey(text: string, end: number): boolean {
  let at = end
  while (text.charCodeAt(at) === 0x20 || (text.charCodeAt(at) >= 9 && text.charCodeAt(at) <= 13)) at += 1
  return text.charCodeAt(at) === 0x3a /* : */
}

function noteKey(keys: Set<string> | undefined, quoted: string): void {
  if (!keys) return
  const key = quoted.includes('\\') ? unescaped(quoted) : quoted.slice(1, -1)
  if (keys.has(key)) throw new Problem('invalid_json', `The field “${key.slice(0, 40)}” appears twice.`)
  keys.add(key)
}

function unescaped(quoted: string): string {
  try {
    return JSON.parse(quoted) as string
  } catch {
    return quoted
  }
}

function checkStrings(value: unknown, pointer: string): void {
  if (typeof value === 'string') {
    if (value.isWellFormed() && !value.includes('\0')) return
    const detail = value.includes('\0') ? 'contains a NUL character' : 'contains half of a surrogate pair'
    throw new Problem('invalid_request', `The text at ${pointer || '/'} ${detail}.`, {
      errors: [{ pointer, code: 'invalid_text', detail }],
    })
  }
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    if (!Array.isArray(value)) checkStrings(key, pointer)
    checkStrings(inner, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`)
  }
}
