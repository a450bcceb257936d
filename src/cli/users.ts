/** basestation setup-link and users: ways into the dashboard for those who have the machine. */

import { ticketUrl } from '../core/access/user.ts'
import { isoTime } from '../core/lib/time.ts'
import { Problem } from '../core/problem.ts'
import { openSealer } from '../secrets/secret-key.ts'
import { accountsOn } from '../wiring/accounts.ts'
import type { Command } from './command.ts'
import { table } from './output.ts'
import { withStore } from './with-store.ts'

const setupLink: Command = {
  name: 'setup-link',
  about: 'Create a one-time link to set up the dashboard; valid for an hour',
  run: context =>
    withStore(context, async store => {
      const { config, output } = context
      const accounts = accountsOn(store, await openSealer(store, config), Date.now)
      const owner = (await store.users()).find(({ role }) => role === 'owner')
      if (owner)
        throw new Problem(
          'link_expired',
          `The dashboard is set up. Sign in, or, with a lost password: npx basestation users reset ${owner.email}`,
        )
      const { token, ticket } = await accounts.ticket('setup', 'command line')
      const url = ticketUrl((await store.announced()) ?? config.PUBLIC_URL, 'setup', token)
      output.show({ url, expires_at: isoTime(ticket.expiresAt) }, () => url)
      return undefined
    }),
}

const list: Command = {
  name: 'users list',
  about: 'List who can sign in to the dashboard',
  run: context =>
    withStore(context, async store => {
      const users = (await store.users()).map(({ id, email, role, totp, createdAt }) => ({
        id,
        email,
        role,
        two_factor: totp !== null,
        created_at: isoTime(createdAt),
      }))
      context.output.show(users, () =>
        table(
          users.map(user => ({ ...user, two_factor: user.two_factor ? 'yes' : 'no' })),
          ['email', 'role', 'two_factor', 'created_at'],
          'Nobody yet. Set the dashboard up with: npx basestation setup-link',
        ),
      )
      return undefined
    }),
}

const reset: Command = {
  name: 'users reset',
  about: 'Create a one-time link to choose a new password; valid for an hour',
  words: ['EMAIL'],
  more: 'Using it ends their sessions, and turns two-factor authentication off: the app may be lost as well.',
  run: context =>
    withStore(context, async store => {
      const { config, output, given } = context
      const email = (given.words[0] ?? '').trim().toLowerCase()
      if (!(await store.userByEmail(email)))
        throw new Problem('not_found', `Nobody signs in as ${email}. See: npx basestation users list`)
      const accounts = accountsOn(store, await openSealer(store, config), Date.now)
      const { token, ticket } = await accounts.ticket('password', 'command line', { email, role: null })
      const url = ticketUrl((await store.announced()) ?? config.PUBLIC_URL, 'password', token)
      output.show({ url, expires_at: isoTime(ticket.expiresAt) }, () => url)
      return undefined
    }),
}

export const userCommands: readonly Command[] = [setupLink, list, reset]
