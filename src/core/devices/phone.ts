/** An Android phone's way in: an enrolment token or a one-time code, then a token of its own. */

import { hash, randomBytes, randomInt } from 'node:crypto'
import type { Connection, Device } from './device.ts'

export type Phone = Connection & {
  device: Device
  tokenHash: string | null
  /** Counts how often it was let in. What it was given before the last time, it may no longer know. */
  registration: number
  signingKey: string
  /** The secret part of the address it posts to. */
  hook: string
}

/** What opens the way in for a device. What is not given stays as it was, but a new token ends an old code. */
export type Invitation = { tokenHash?: string; code?: { hash: string; expiresAt: number } }

/** What a phone shows to be let in. `issuedAfter`: older codes are refused, after too many wrong guesses. */
export type Proof = { tokenHash: string } | { codeHash: string; issuedAfter?: number }

/** A stream is noted only for the registration it was opened in. */
export type PhoneNote = { keyAt: number } | { streamAt: number; registration: number }

export const codeMs = 10 * 60_000
/**
 * An enrolment token that nobody has used ends after a week. Once used it stays good for that device: the app comes in
 * with it again whenever it has lost its own.
 */
export const enrolmentMs = 7 * 24 * 3_600_000
/** After so many wrong codes from one address, all codes open then are void for that address. */
export const codeTries = 5
/**
 * Wrong codes from all addresses after which an open code is void, to prevent brute force. Since each
 * address has five, it takes two hundred of them to void a code of somebody else's.
 */
export const codeTriesOfAll = 1_000
/** A phone goes on trying to hand over what it received for two days. */
export const previousHookMs = 48 * 3_600_000

/** Letters and digits that nobody mistakes for one another, because people type the token into a phone. */
const alphabet = '23456789abcdefghjkmnpqrstuvwxyz'

/** 20 of 31 characters are 99 random bits. Only letters, digits and hyphens: the app cuts others off. */
export function newEnrolmentToken(): string {
  const characters = Array.from({ length: 20 }, () => alphabet[randomInt(alphabet.length)])
  return [0, 5, 10, 15].map(at => characters.slice(at, at + 5).join('')).join('-')
}

/** The app's code field takes digits only. */
export const newCode = (): string => String(randomInt(100_000_000)).padStart(8, '0')

export const newDeviceToken = (): string => `bsd_${randomBytes(24).toString('base64url')}`
export const newSigningKey = (): string => `bsk_${randomBytes(24).toString('base64url')}`
export const newHook = (): string => randomBytes(18).toString('base64url')

/** A phone's keyboard likes to begin with a capital letter, and people leave hyphens out. */
export const hashEnrolmentToken = (token: string): string =>
  hash('sha256', token.toLowerCase().replaceAll(/[^a-z0-9]/g, ''))
export const hashCode = (code: string): string => hash('sha256', `code ${code.trim()}`)
export const hashDeviceToken = (token: string): string => hash('sha256', token)
