/** The team of a database, for the gateway and for commands beside it. */

import type { Config } from './config.ts'
import { Team } from './core/team.ts'
import type { UserStore } from './core/user-store.ts'
import { seal, unseal } from './secrets/seal.ts'
import { secretKey } from './secrets/secret-key.ts'

export const teamOn = (store: UserStore, config: Config, now: () => number): Team =>
  new Team({
    store,
    seal: (what, text) => seal(secretKey(config), [what], text),
    open: (what, sealed) => unseal(secretKey(config), [what], sealed),
    now,
  })
