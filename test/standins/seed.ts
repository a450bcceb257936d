/** What a gateway needs before it starts: keys and simulated phones, put straight into its database. */

import { hashSecret, hintOf, type KeyDraft, newSecret, scopes } from '../../src/core/access/key.ts'
import type { EnvironmentName } from '../../src/core/environment.ts'
import type { Store } from '../../src/core/store.ts'

const environmentIds: Record<EnvironmentName, number> = { production: 1, staging: 2 }

/** A key that may do everything, as often as it likes, unless told otherwise. Returns its secret. */
export async function addKey(
  store: Store,
  environment: EnvironmentName,
  more: Partial<KeyDraft> = {},
): Promise<string> {
  const secret = newSecret(environment)
  const draft = {
    name: 'k',
    scopes,
    rateLimit: 1_000_000,
    allowedIps: [],
    expiresAt: null,
    createdBy: 'test',
  }
  const environmentId = environmentIds[environment]
  await store.addKey({ environmentId, ...draft, ...more }, hashSecret(secret), hintOf(secret))
  return secret
}

/** Simulated phones of staging. */
export async function addSimulated(store: Store, count: number): Promise<void> {
  const draft = { kind: 'simulated', phone: '', perMinute: null, perDay: null } as const
  for (let n = 0; n < count; n += 1)
    await store.enrol({ environmentId: environmentIds.staging, name: `Phone ${n}`, ...draft })
}
