/** An Android phone's way in: an enrolment token or a one-time code, then a token of its own. */

import { hash, randomBytes, randomInt } from 'node:crypto'
import type { Device } from './device.ts'

export type Phone = {
  device: Device
  tokenHash: string | null
  /** When it was let in last. What it was given before then, it may no longer know. */
  registeredAt: number | null
  signingKey: string
  /** The secret part of the address it posts to. */
  hook: string
  keyAt: number | null
  streamAt: number | null
}

/** What opens the way in for a device. What is not given stays as it was. */
export type Invitation = { tokenHash?: string; code?: { hash: string; expiresAt: number } }

/** What a phone shows to be let in. */
export type Proof = { tokenHash: string } | { codeHash: string }

export type PhoneNote = { keyAt?: number; streamAt?: number }

export const codeMs = 10 * 60_000
/** Wrong codes, from whomever, after which every open code is void: eight digits must not be tried out. */
export const codeTries = 5

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

/** A phone's keyboard likes to begin with a capital letter. */
export const hashEnrolmentToken = (token: string): string => hash('sha256', token.trim().toLowerCase())
export const hashCode = (code: string): string => hash('sha256', `code ${code.trim()}`)
export const hashDeviceToken = (token: string): string => hash('sha256', token)
