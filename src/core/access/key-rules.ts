/** What may be asked of a new key: the same rules for the API and for the command line. */

import { invalid } from '../problem.ts'
import type { KeyDraft } from './key.ts'
import { isNetwork } from './network.ts'

export function checkKey(
  { allowedIps, expiresAt }: Pick<KeyDraft, 'allowedIps' | 'expiresAt'>,
  now: number,
): void {
  const bad = allowedIps.findIndex(entry => !isNetwork(entry))
  if (bad !== -1)
    throw invalid(
      `/allowed_ips/${bad}`,
      `“${allowedIps[bad]!.slice(0, 40)}” is neither an address nor a network such as 10.0.0.0/8.`,
    )
  if (expiresAt !== null && expiresAt <= now) throw invalid('/expires_at', 'expires_at is in the past.')
}
