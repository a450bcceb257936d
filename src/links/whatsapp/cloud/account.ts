/** What is needed to use a number over WhatsApp's official API: kept sealed, beside the device. */

import type { Vault, VaultChange } from '../../../core/devices/vault.ts'

export type CloudAccount = {
  /** Meta's id of the number. */
  phoneNumberId: string
  /** A token of a system user, which does not expire. */
  accessToken: string
  /** What Meta signs its webhooks with. */
  appSecret: string
  /** What Meta must know to set up the webhook. */
  verifyToken: string
}

const place = { type: 'cloud', id: 'account' }

export async function readAccount(vault: Vault): Promise<CloudAccount | undefined> {
  const text = (await vault.read(place.type, [place.id])).get(place.id)
  return text === undefined ? undefined : (JSON.parse(text) as CloudAccount)
}

/** The entry that keeps it. */
export const accountEntry = (account: CloudAccount): VaultChange => ({
  ...place,
  value: JSON.stringify(account),
})
