/** What an empty database gets at the first start: a simulated phone and a key, so that a message can be sent at once. */

import { hashSecret, hintOf, newSecret, sendAndRead } from '../core/access/key.ts'
import { simulated } from '../core/devices/kinds/simulated.ts'
import type { Store } from '../core/store.ts'

/** The new key, or undefined when the gateway has had a device before. */
export async function prepareFirstRun(store: Store): Promise<string | undefined> {
  if ((await store.allDevices()).length > 0) return undefined
  const staging = (await store.environments()).find(({ name }) => name === 'staging')!
  const secret = newSecret('staging')
  const phone = store.enrol({
    environmentId: staging.id,
    kind: simulated.name,
    name: 'Simulated phone',
    phone: '+15550100000',
    perMinute: simulated.perMinute,
    perDay: null,
  })
  const key = store.addKey(
    {
      environmentId: staging.id,
      name: 'First key',
      scopes: sendAndRead,
      rateLimit: null,
      allowedIps: [],
      expiresAt: null,
      createdBy: 'first start',
    },
    hashSecret(secret),
    hintOf(secret),
  )
  // Asked for together, they share a commit: there is never a phone without a key, or a key nobody has seen.
  await Promise.all([phone, key])
  return secret
}
