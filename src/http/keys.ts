/** API keys over the API. Nobody gives a scope that they lack. */

import { hashSecret, hintOf, type Key, newSecret, type Scope, sendAndRead } from '../core/key.ts'
import { isNetwork } from '../core/network.ts'
import { invalid, Problem } from '../core/problem.ts'
import { shownKey } from '../core/shown-key.ts'
import type { Store } from '../core/store.ts'
import type {
  KeyAddRequest,
  KeyResponse,
  KeyRotateRequest,
  KeySecretResponse,
  KeysResponse,
} from './key-schemas.ts'
import { timeOf } from './query.ts'
import type { Action, ApiRequest } from './route.ts'

export type KeyParts = {
  store: Pick<Store, 'keys' | 'addKey' | 'rotateKey' | 'revokeKey'>
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
    data: (await store.keys()).filter(key => key.environmentId === environment.id).map(shownKey),
  })

export const addKey =
  ({ store, now }: KeyParts): Action<KeySecretResponse> =>
  async ({ environment, key: by, body, keep }) => {
    const given = body as KeyAddRequest
    const name = given.name.trim()
    if (name === '') throw invalid('/name', 'The name must not be blank.')
    const scopes = given.scopes ?? sendAndRead
    requireScopes(by, scopes)
    const allowedIps = given.allowed_ips ?? []
    const bad = allowedIps.findIndex(entry => !isNetwork(entry))
    if (bad !== -1)
      throw invalid(
        `/allowed_ips/${bad}`,
        `“${allowedIps[bad]!.slice(0, 40)}” is neither an address nor a network such as 10.0.0.0/8.`,
      )
    const expiresAt = given.expires_at ? timeOf('expires_at', given.expires_at) : null
    if (expiresAt !== null && expiresAt <= now()) throw invalid('/expires_at', 'expires_at is in the past.')
    const secret = newSecret(environment.name)
    const draft = {
      environmentId: environment.id,
      name,
      scopes,
      rateLimit: given.rate_limit ?? null,
      allowedIps,
      expiresAt,
      createdBy: by.name,
    }
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
    const { key: by, environment, body, keep } = request
    const { id, scopes } = await find(parts, request)
    requireScopes(by, scopes)
    const { overlap_hours: hours = usualOverlapHours } = body as KeyRotateRequest
    const secret = newSecret(environment.name)
    const rotation = {
      id,
      hash: hashSecret(secret),
      hint: hintOf(secret),
      until: parts.now() + hours * hourMs,
      createdBy: by.name,
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
    const { id } = await find(parts, request)
    const revoked = await parts.store.revokeKey(id)
    return { success: true, data: shownKey(revoked!) }
  }

async function find({ store, now }: KeyParts, { environment, params }: ApiRequest): Promise<Key> {
  const key = (await store.keys()).find(
    ({ id, environmentId }) => id === params.key_id!.toLowerCase() && environmentId === environment.id,
  )
  const isOver = key && (key.revokedAt !== null || (key.expiresAt !== null && key.expiresAt <= now()))
  if (!key || isOver) throw unknownKey()
  return key
}

const unknownKey = () => new Problem('key_not_found', 'There is no key with this id, or it has ended.')

function requireScopes(by: Key, wanted: readonly Scope[]): void {
  const lacking = wanted.find(scope => !by.scopes.includes(scope))
  if (lacking !== undefined)
    throw new Problem('insufficient_scope', `You cannot give ${lacking}: you do not have it yourself.`)
}
