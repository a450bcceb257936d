/** People with each role on a test gateway, signed in. */

import assert from 'node:assert/strict'
import type { Role } from '../../src/core/access/user.ts'
import { accountsOn } from '../../src/wiring/accounts.ts'
import type { TestGateway } from './gateway.ts'
import { Visitor } from './visitor.ts'

export const password = 'four words make one'

export function teamOf(gateway: TestGateway, now: () => number = Date.now) {
  const accounts = accountsOn(gateway.store, gateway.sealer, now)
  const use = async (token: string, email: string): Promise<Visitor> => {
    const one = new Visitor(gateway.url)
    const { status, text } = await one.ask('POST', '/session/links/use', { token, email, password })
    assert.equal(status, 200, text)
    return one
  }
  return {
    accounts,
    owner: async (email = 'owner@example.org') => use((await accounts.ticket('setup', 'test')).token, email),
    colleague: async (role: Role, email = `${role}@example.org`) =>
      use((await accounts.ticket('invitation', 'test', { email, role })).token, email),
  }
}
