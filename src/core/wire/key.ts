/** How an API key is shown, over the API and on the command line alike. Never the key itself. */

import type { Key } from '../access/key.ts'
import { isoTime, isoTimeOrNull } from '../lib/time.ts'

export const shownKey = (key: Key) => ({
  id: key.id,
  name: key.name,
  environment: key.environment,
  hint: key.hint,
  scopes: [...key.scopes],
  rate_limit: key.rateLimit,
  allowed_ips: [...key.allowedIps],
  created_by: key.createdBy,
  created_by_key: key.parentId,
  created_at: isoTime(key.createdAt),
  expires_at: isoTimeOrNull(key.expiresAt),
  revoked_at: isoTimeOrNull(key.revokedAt),
  last_used_at: isoTimeOrNull(key.lastUsedAt),
})
