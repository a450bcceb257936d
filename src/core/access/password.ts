/** Passwords: how they are kept, compared, and which are refused. */

import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { Limiter } from '../lib/limiter.ts'

const derive = promisify(argon2)

/** OWASP's smallest recommendation for argon2id: it must also run on a small machine. */
const cost = { memory: 19_456, passes: 2, parallelism: 1 }
const tagLength = 32

/** Each takes memory and a core; strangers can ask for as many as they like. */
const atOnce = new Limiter(2)

export const passwordLeast = 12
export const passwordMost = 256

export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16)
  const tag = await run(password, nonce, cost)
  const { memory, passes, parallelism } = cost
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${nonce.toString('base64url')}$${tag.toString('base64url')}`
}

export async function isPassword(password: string, kept: string): Promise<boolean> {
  const [, m, t, p, nonce, tag] =
    /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w-]+)\$([\w-]+)$/.exec(kept) ?? []
  if (nonce === undefined || tag === undefined) return false
  const made = await run(password, Buffer.from(nonce, 'base64url'), {
    memory: Number(m),
    passes: Number(t),
    parallelism: Number(p),
  })
  return timingSafeEqual(made, Buffer.from(tag, 'base64url'))
}

/** A dummy hash, compared with when there is no such account, so that timing reveals nothing. */
let nobodys: Promise<string> | undefined
export const isNobodys = async (password: string): Promise<false> => {
  nobodys ??= hashPassword(randomBytes(16).toString('hex'))
  await isPassword(password, await nobodys)
  return false
}

const run = (
  password: string,
  nonce: Buffer,
  { memory, passes, parallelism }: typeof cost,
): Promise<Buffer> =>
  atOnce.run(() =>
    derive('argon2id', {
      message: password.normalize('NFC'),
      nonce,
      memory,
      passes,
      parallelism,
      tagLength,
    }),
  )

/** Found in every list of leaked passwords, and long enough to pass otherwise; without digits at their end. */
const wellKnown = [
  'password',
  'passwordpassword',
  'qwertyuiop',
  'qwertyuiopasdfghjkl',
  'administrator',
  'letmeinletmein',
  'iloveyouiloveyou',
  'welcomewelcome',
  'basestation',
  'basestationbasestation',
  'changeme',
  'changemechangeme',
  'correcthorsebatterystaple',
]

/** Why a password is refused; undefined: it is not. */
export function weakness(password: string, email: string): string | undefined {
  const length = [...password].length
  if (length < passwordLeast) return `must have at least ${passwordLeast} characters.`
  if (length > passwordMost) return `must have at most ${passwordMost} characters.`
  const plain = password.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
  const bare = plain.replace(/\d+$/, '')
  const [name = ''] = email.toLowerCase().split('@')
  if (wellKnown.includes(bare) || bare === name.replace(/[^\p{L}\p{N}]/gu, '') || isMonotone(plain))
    return 'is too easy to guess.'
  return undefined
}

/** The same few characters over and over, or counting. */
const isMonotone = (text: string) =>
  new Set(text).size < 4 || '012345678901234567890123456789'.includes(text) || /^(.{1,4})\1+$/.test(text)
