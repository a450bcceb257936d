/** Who is in the team: invitations, roles, and whoever has to go. */

import { invalid, Problem } from '../problem.ts'
import { type Accounts, emailOf } from './accounts.ts'
import { managesTeam, mayGrant, type Role, type Ticket, type User } from './user.ts'
import type { UserStore } from './user-store.ts'

export type TeamParts = { store: UserStore; accounts: Pick<Accounts, 'ticket'> }

export class Team {
  readonly #parts: TeamParts

  constructor(parts: TeamParts) {
    this.#parts = parts
  }

  async invite(by: User, email: string, role: Role): Promise<{ token: string; ticket: Ticket }> {
    requireGrant(by, role)
    const address = emailOf(email)
    if (await this.#parts.store.userByEmail(address))
      throw invalid('/email', 'Somebody with this address is in the team already.')
    const open = (await this.#parts.store.invitations()).find(one => one.email === address)
    if (open) requireGrant(by, open.role!)
    return await this.#parts.accounts.ticket('invitation', by.email, { email: address, role })
  }

  async uninvite(by: User, id: string): Promise<void> {
    requireTeam(by)
    const invitation = (await this.#parts.store.invitations()).find(one => one.id === id)
    if (!invitation) throw notFound('invitation')
    requireGrant(by, invitation.role!)
    await this.#parts.store.removeTicket(id)
  }

  async changeRole(by: User, id: string, role: Role): Promise<User> {
    const user = await this.#member(by, id)
    requireGrant(by, role)
    const changed = await this.#parts.store.changeUser(user.id, { role, keepSession: '' })
    if (!changed) throw notFound('person')
    if (changed.role !== role) throw lastOwner()
    return changed
  }

  async remove(by: User, id: string): Promise<void> {
    const user = await this.#member(by, id)
    if (!(await this.#parts.store.removeUser(user.id))) throw lastOwner()
  }

  /** A link with which somebody who lost a password chooses another. */
  async resetPassword(by: User, id: string): Promise<{ token: string; ticket: Ticket }> {
    if (by.id === id)
      throw invalid('', 'Change your own password under Account, where the present one is asked for.')
    const { email } = await this.#member(by, id)
    return await this.#parts.accounts.ticket('password', by.email, { email, role: null })
  }

  async #member(by: User, id: string): Promise<User> {
    requireTeam(by)
    const user = (await this.#parts.store.users()).find(one => one.id === id)
    if (!user) throw notFound('person')
    requireGrant(by, user.role)
    return user
  }
}

/** Only those who look after the team get further. */
export function requireTeam({ role }: User): void {
  if (!managesTeam(role)) throw new Problem('not_allowed', 'Only owners and admins may do this.')
}

function requireGrant(by: User, role: Role): void {
  requireTeam(by)
  if (!mayGrant(by.role, role))
    throw new Problem('not_allowed', 'Only owners can add, change or remove owners.')
}

const lastOwner = () => new Problem('last_owner', 'There must be an owner. Make somebody else one first.')
const notFound = (what: string) => new Problem('not_found', `There is no such ${what}.`)
