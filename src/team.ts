/** The team of a database, for the gateway and for commands beside it. */

import { Team } from './core/team.ts'
import type { UserStore } from './core/user-store.ts'
import type { Sealer } from './secrets/sealer.ts'

export const teamOn = (store: UserStore, sealer: Sealer, now: () => number): Team =>
  new Team({
    store,
    seal: (what, text) => sealer.seal([what], text),
    open: (what, sealed) => sealer.open([what], sealed),
    now,
  })
