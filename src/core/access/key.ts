/** API keys: how they look, what they may do, when they stop working. */

import { hash, randomBytes } from 'node:crypto'
import { BlockList } from 'node:net'
import { crc32 } from 'node:zlib'
import type { EnvironmentName } from '../environment.ts'
import { addNetwork, holds } from './network.ts'

export const scopes = [
  'messages:send',
  'messages:read',
  'inbox:read',
  'devices:read',
  'devices:manage',
  'webhooks:manage',
  'events:read',
  'people:manage',
  'stats:read',
  'settings:manage',
  'keys:manage',
] as const
export type Scope = (typeof scopes)[number]

/** What a new key may do unless told otherwise: send, follow up, read replies. */
export const sendAndRead: readonly Scope[] = ['messages:send', 'messages:read', 'inbox:read']

export type Key = {
  id: string
  environmentId: number
  environment: EnvironmentName
  name: string
  /** The first and last characters, by which people recognise a key they can no longer see. */
  hint: string
  scopes: readonly Scope[]
  /** Requests a minute; null: the server's default. */
  rateLimit: number | null
  /** Addresses and networks the key may be used from; empty: any. */
  allowedIps: readonly string[]
  createdBy: string
  /** The key that made it; null: a person did. What a key made is revoked with it. */
  parentId: string | null
  createdAt: number
  expiresAt: number | null
  revokedAt: number | null
  lastUsedAt: number | null
}

export type KeyDraft = Pick<
  Key,
  'environmentId' | 'name' | 'scopes' | 'rateLimit' | 'allowedIps' | 'expiresAt' | 'createdBy'
> & { parentId?: string | null }

/** The same key again under another secret. */
export type Rotation = {
  environmentId: number
  id: string
  hash: string
  hint: string
  /** When the one before ends. */
  until: number
  createdBy: string
  /** The key that asked for it, if it was another one. */
  parentId?: string
}

const prefixes: Record<EnvironmentName, string> = { production: 'bs_live_', staging: 'bs_test_' }
const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const secretLength = 32
const checksumLength = 6

export function newSecret(environment: EnvironmentName): string {
  const body = prefixes[environment] + randomLetters(secretLength)
  return body + checksum(body)
}

/**
 * The environment a well-formed secret names, or undefined for anything that cannot be one of ours: a typing mistake
 * is caught here, without a look-up.
 */
export function environmentOf(secret: string): EnvironmentName | undefined {
  const name = secret.startsWith(prefixes.production)
    ? 'production'
    : secret.startsWith(prefixes.staging)
      ? 'staging'
      : undefined
  if (!name || secret.length !== prefixes[name].length + secretLength + checksumLength) return undefined
  const body = secret.slice(0, -checksumLength)
  return checksum(body) === secret.slice(-checksumLength) ? name : undefined
}

/** 190 random bits need no slow hash: nobody can try them all. */
export const hashSecret = (secret: string): string => hash('sha256', secret)

export const hintOf = (secret: string): string => `${secret.slice(0, 12)}…${secret.slice(-4)}`

/** Whether the key may be used from this address. */
export function allowsAddress(allowedIps: readonly string[], address: string): boolean {
  if (allowedIps.length === 0) return true
  const list = new BlockList()
  for (const entry of allowedIps) addNetwork(list, entry)
  return holds(list, address)
}

function randomLetters(count: number): string {
  let text = ''
  while (text.length < count) {
    // 248 is the largest multiple of 62 below 256: beyond it some letters would come up more often.
    for (const byte of randomBytes(count)) if (byte < 248 && text.length < count) text += letters[byte % 62]
  }
  return text
}

function checksum(body: string): string {
  let rest = crc32(body)
  let text = ''
  for (let i = 0; i < checksumLength; i += 1) {
    text = letters[rest % 62] + text
    rest = Math.floor(rest / 62)
  }
  return text
}
