/** Port: what we need remembered to notice a wrong secret key. */

import type { Awaitable } from './store.ts'

export interface SecretStore {
  /** Something sealed by which a wrong secret key is noticed. */
  sealCheck(): Awaitable<string | undefined>
  keepSealCheck(check: string): Promise<void>
  /** Forgets what nobody can open any more; webhooks need new secrets then. */
  forgetSealed(): Promise<void>
}
