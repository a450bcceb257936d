/** The shapes of API keys. */

import { scopes } from '../../../core/access/key.ts'
import { longestName } from '../../../core/lib/name.ts'
import { type Static, Type } from '../../schema.ts'
import { closed, time, uuid, words } from '../shapes.ts'

const scopeList = Type.Array(words(scopes, 'One thing it may do.'), {
  minItems: 1,
  maxItems: scopes.length,
  uniqueItems: true,
  description: 'What the key may do.',
})
const rateLimit = Type.Union([Type.Integer({ minimum: 1, maximum: 1_000_000_000 }), Type.Null()], {
  description: 'Requests a minute; null: the default of the server.',
})
const allowedIps = Type.Array(Type.String({ maxLength: 60 }), {
  maxItems: 100,
  description: 'Addresses and networks it may be used from; empty: any.',
})
const orNull = (description: string) => Type.Union([time(description), Type.Null()])

const fields = {
  id: uuid('By which it is rotated and revoked.'),
  name: Type.String(),
  environment: words(['production', 'staging'], 'Where it works.'),
  hint: Type.String({ description: 'Its first and last characters.' }),
  scopes: scopeList,
  rate_limit: rateLimit,
  allowed_ips: allowedIps,
  created_by: Type.String(),
  created_by_key: Type.Union([Type.String(), Type.Null()], {
    description: 'The key that made it, with which it is revoked; null: a person made it.',
  }),
  created_at: time('When it was made.'),
  expires_at: orNull('When it stops working; null: never.'),
  revoked_at: orNull('When it was revoked; null: it was not.'),
  last_used_at: orNull('When it was last used, to the minute; null: never.'),
}

export const ApiKey = Type.Object(fields, { ...closed, title: 'ApiKey' })

export const KeysResponse = Type.Object(
  { success: Type.Boolean(), data: Type.Array(ApiKey) },
  { ...closed, title: 'KeysResponse' },
)
export type KeysResponse = Static<typeof KeysResponse>

export const KeyResponse = Type.Object(
  { success: Type.Boolean(), data: ApiKey },
  { ...closed, title: 'KeyResponse' },
)
export type KeyResponse = Static<typeof KeyResponse>

export const KeySecretResponse = Type.Object(
  {
    success: Type.Boolean(),
    data: Type.Object(
      { ...fields, key: Type.String({ description: 'The key itself. It is shown only this once.' }) },
      { ...closed, title: 'ApiKeyWithSecret' },
    ),
  },
  { ...closed, title: 'KeySecretResponse' },
)
export type KeySecretResponse = Static<typeof KeySecretResponse>

export const KeyAddRequest = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: longestName, description: 'What it is for.' }),
    scopes: Type.Optional(scopeList),
    rate_limit: Type.Optional(rateLimit),
    allowed_ips: Type.Optional(allowedIps),
    expires_at: Type.Optional(orNull('When it stops working; null, or not given: never.')),
  },
  { ...closed, title: 'KeyAddRequest' },
)
export type KeyAddRequest = Static<typeof KeyAddRequest>

export const KeyRotateRequest = Type.Object(
  {
    overlap_hours: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 24 * 90,
        default: 24,
        description: 'For so long the key before works too.',
      }),
    ),
  },
  { ...closed, title: 'KeyRotateRequest' },
)
export type KeyRotateRequest = Static<typeof KeyRotateRequest>
