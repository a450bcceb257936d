/** The accounts of a database, for the gateway and for commands beside it. */

import { Accounts } from '../core/access/accounts.ts'
import type { UserStore } from '../core/access/user-store.ts'
import type { Sealer } from '../secrets/sealer.ts'

export const accountsOn = (store: UserStore, sealer: Sealer, now: () => number): Accounts =>
  new Accounts({
    store,
    seal: (what, text) => sealer.seal([what], text),
    open: (what, sealed) => sealer.open([what], sealed),
    now,
  })
