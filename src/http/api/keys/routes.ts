/** The routes about API keys. */

import { bodyProblems, type Route } from '../route.ts'
import type { RouteParts } from '../route-parts.ts'
import { addKey, keys, revokeKey, rotateKey } from './actions.ts'
import * as shapes from './schemas.ts'

export const keyRoutes = ({ keys: parts }: RouteParts): readonly Route[] => [
  {
    operation: 'keys',
    group: 'Keys',
    summary: 'API keys of the environment, revoked ones too',
    method: 'GET',
    paths: ['/keys'],
    scope: 'keys:manage',
    response: shapes.KeysResponse,
    problems: [],
    action: keys(parts),
  },
  {
    operation: 'addKey',
    group: 'Keys',
    summary: 'Create an API key, shown only once. It cannot have scopes that the caller lacks',
    method: 'POST',
    paths: ['/keys'],
    scope: 'keys:manage',
    asksPassword: true,
    body: shapes.KeyAddRequest,
    success: 201,
    secret: true,
    response: shapes.KeySecretResponse,
    problems: bodyProblems,
    action: addKey(parts),
  },
  {
    operation: 'rotateKey',
    group: 'Keys',
    summary: 'Rotate a key; the old one keeps working for overlap_hours',
    method: 'POST',
    paths: ['/keys/:key_id/rotate'],
    scope: 'keys:manage',
    asksPassword: true,
    body: shapes.KeyRotateRequest,
    success: 201,
    secret: true,
    response: shapes.KeySecretResponse,
    problems: ['key_not_found', ...bodyProblems],
    action: rotateKey(parts),
  },
  {
    operation: 'revokeKey',
    group: 'Keys',
    summary: 'Revoke a key; it stops working within a second',
    method: 'DELETE',
    paths: ['/keys/:key_id'],
    scope: 'keys:manage',
    response: shapes.KeyResponse,
    problems: ['key_not_found'],
    action: revokeKey(parts),
  },
]
