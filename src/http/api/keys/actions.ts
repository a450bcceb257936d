/** API keys over the API. A key gives no more than it has: not a scope, an address, a rate or a day more. */

import { hashSecret, hintOf, type Key, newSecret, type Scope, sendAndRead } from '../../../core/access/key.ts'
import { checkKey } from '../../../core/access/key-rules.ts'
import { isWithin } from '../../../core/access/network.ts'
import { nameOf } from '../../../core/lib/name.ts'
import { Problem } from '../../../core/problem.ts'
import type { Store } from '../../../core/store.ts'
import { shownKey } from '../../../core/wire/key.ts'
import { timeOf } from '../query.ts'
import type { Action, ApiRequest } from '../route.ts'
import type {
  KeyAddRequest,
  KeyResponse,
  KeyRotateRequest,
  KeySecretResponse,
  KeysResponse,
} from './schemas.ts'

export type KeyParts = {
  store: Pick<Store, 'keys' | 'addKey' | 'rotateKey' | 'revokeKey'>
  /** Requests a minute for keys without a limit of their own. */
  rateLimit: number
  now: () => number
}

const hourMs = 3_600_000
const usualOverlapHours = 24

const withSecret = (key: Key, secret: string): KeySecretResponse => ({
  success: true,
  data: { ...shownKey(key), key: secret },
})

export const keys =
  ({ store }: KeyParts): Action<KeysResponse> =>
  async ({ environment }) => ({
    success: true,
    data: (await store.keys(environment.id)).map(shownKey),
  })

export const addKey =
  (parts: KeyParts): Action<KeySecretResponse> =>
  async request => {
    const { environment, key: by, isPerson, body, keep } = request
    const { store, now } = parts
    const given = body as KeyAddRequest
    const name = nameOf(given.name)
    const scopes = given.scopes ?? sendAndRead
    // What is not asked for is as narrow as the key that asks.
    const allowedIps = given.allowed_ips ?? by.allowedIps
    const expiresAt = given.expires_at ? timeOf('expires_at', given.expires_at) : by.expiresAt
    checkKey({ allowedIps, expiresAt }, now())
    const draft = {
      environmentId: environment.id,
      name,
      scopes,
      rateLimit: given.rate_limit ?? by.rateLimit,
      allowedIps,
      expiresAt,
      createdBy: by.name,
      parentId: isPerson ? null : by.id,
    }
    requireCover(parts, request, draft)
    const secret = newSecret(environment.name)
    const added = await store.addKey(
      draft,
      hashSecret(secret),
      hintOf(secret),
      keep(key => withSecret(key, secret)),
    )
    return withSecret(added, secret)
  }

export const rotateKey =
  (parts: KeyParts): Action<KeySecretResponse> =>
  async request => {
    const { key: by, isPerson, environment, body, keep } = request
    const target = await find(parts, request)
    requireCover(parts, request, target)
    const { environmentId, id } = target
    const { overlap_hours: hours = usualOverlapHours } = body as KeyRotateRequest
    const secret = newSecret(environment.name)
    const rotation = {
      environmentId,
      id,
      hash: hashSecret(secret),
      hint: hintOf(secret),
      until: parts.now() + hours * hourMs,
      createdBy: by.name,
      // A key made by rotating another counts as created by the key that asks.
      ...(!isPerson && by.id !== id && { parentId: by.id }),
    }
    const fresh = await parts.store.rotateKey(
      rotation,
      keep(key => key && withSecret(key, secret)),
    )
    if (!fresh) throw unknownKey()
    return withSecret(fresh, secret)
  }

export const revokeKey =
  (parts: KeyParts): Action<KeyResponse> =>
  async request => {
    // Also an expired key: keys that it created may still be valid.
    const target = await find(parts, request, true)
    requireScopes(request.key, target.scopes, 'end a key with')
    const revoked = await parts.store.revokeKey(target)
    return { success: true, data: shownKey(revoked!) }
  }

async function find(
  { store, now }: KeyParts,
  { environment, params }: ApiRequest,
  mayBeExpired = false,
): Promise<Key> {
  const key = (await store.keys(environment.id)).find(({ id }) => id === params.key_id!.toLowerCase())
  const isExpired = key !== undefined && key.expiresAt !== null && key.expiresAt <= now()
  const isOver = key && (key.revokedAt !== null || (isExpired && !mayBeExpired))
  if (!key || isOver) throw unknownKey()
  return key
}

const unknownKey = () => new Problem('key_not_found', 'There is no key with this id, or it has ended.')

function requireScopes(by: Key, wanted: readonly Scope[], what = 'give'): void {
  const lacking = wanted.find(scope => !by.scopes.includes(scope))
  if (lacking !== undefined)
    throw new Problem('insufficient_scope', `You cannot ${what} ${lacking}: you do not have it yourself.`)
}

type Bounds = Pick<Key, 'scopes' | 'rateLimit' | 'allowedIps' | 'expiresAt'>

/** Throws unless whoever asks could do everything that a key with these bounds can. */
function requireCover({ rateLimit }: KeyParts, { key: by, isPerson }: ApiRequest, wanted: Bounds): void {
  requireScopes(by, wanted.scopes)
  if (isPerson) return
  const refuse = (pointer: string, detail: string) => {
    throw new Problem('not_allowed', detail, { errors: [{ pointer, code: 'not_allowed', detail }] })
  }
  const mostRate = by.rateLimit ?? rateLimit
  if ((wanted.rateLimit ?? rateLimit) > mostRate)
    refuse('/rate_limit', `You cannot give more than ${mostRate} requests a minute, which is your own limit.`)
  if (by.expiresAt !== null && (wanted.expiresAt === null || wanted.expiresAt > by.expiresAt))
    refuse('/expires_at', 'You cannot give a key that outlives your own.')
  const isFree = by.allowedIps.length === 0
  const isInside =
    wanted.allowedIps.length > 0 && wanted.allowedIps.every(one => isWithin(one, by.allowedIps))
  if (!isFree && !isInside)
    refuse('/allowed_ips', 'You cannot give addresses from which your own key may not be used.')
}
