/** Builds what Android phones need: who holds their streams, what they may ask, and the paths under which they do. */

import type { Fleet } from '../core/devices/fleet.ts'
import type { Reception } from '../core/inbox/reception.ts'
import type { Log } from '../core/lib/log.ts'
import type { Store } from '../core/store.ts'
import type { Annex } from '../http/server/server.ts'
import { type AndroidParts, AndroidPhones } from '../links/android/phones.ts'
import { phonePath, phoneSite } from '../links/android/routes.ts'
import { Switchboard } from '../links/android/switchboard.ts'
import { SealedVault } from '../secrets/sealed-vault.ts'
import type { Sealer } from '../secrets/sealer.ts'

export type PhonesParts = {
  sealer: Sealer
  store: Store
  fleet: Fleet
  reception: Reception
  saveFile: AndroidParts['saveFile']
  /** Notes that a phone's line is up. */
  present: (deviceId: string) => Promise<void>
  publicUrl: () => string
  /** Milliseconds to hold back an answer to whoever fails again and again. */
  delay: (address: string) => number
  now: () => number
  log: Log
}

export function buildPhones(parts: PhonesParts): { switchboard: Switchboard; annex: Annex } {
  const { sealer, store, fleet, reception, saveFile, present, publicUrl, delay, now, log } = parts
  const switchboard = new Switchboard({
    store,
    present,
    readyAt: deviceId => fleet.readyAt(deviceId),
    now,
    log,
  })
  const phones = new AndroidPhones({
    store,
    switchboard,
    pull: async (deviceId, registration, limit) => {
      const claim = await store.pull(deviceId, registration, limit)
      if (claim) fleet.noteClaimed(deviceId, claim.messages)
      return claim
    },
    record: receipt => reception.record(receipt),
    receive: incoming => reception.receive(incoming),
    vault: deviceId => new SealedVault(store, deviceId, sealer),
    saveFile,
    now,
    log,
  })
  return {
    switchboard,
    annex: { ...phoneSite({ phones, switchboard, publicUrl, delay, now }), rewrite: phonePath },
  }
}
