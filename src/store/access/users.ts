/** People who sign in, their sessions, and the one-time links that let them in. */

import { randomUUIDv7 } from 'node:crypto'
import {
  auditMs,
  type Role,
  type Session,
  type SessionDraft,
  type SignedIn,
  sessionIdleMs,
  sessionMostMs,
  type Ticket,
  type TicketDraft,
  type User,
} from '../../core/access/user.ts'
import type { UserChange } from '../../core/access/user-store.ts'
import { raw, type Sql, sql } from '../engine/sql.ts'
import type { Transaction } from '../engine/transaction.ts'
import { each, type Verb } from '../engine/verb.ts'

const columns = raw(
  `u.id, u.email, u.role, u.password, u.totp, u.totp_step AS "totpStep", u.created_at AS "createdAt"`,
)
const sessionColumns = raw(
  `s.id, s.user_id AS "userId", s.address, s.agent, s.created_at AS "createdAt", s.seen_at AS "seenAt",
   s.confirmed_at AS "confirmedAt"`,
)
const ticketColumns = raw(
  `id, kind, email, role, created_by AS "createdBy", created_at AS "createdAt", expires_at AS "expiresAt"`,
)

export async function users(connection: Sql): Promise<User[]> {
  return await connection.all<User>(sql`SELECT ${columns} FROM users u ORDER BY u.created_at, u.id`)
}

export async function userByEmail(connection: Sql, email: string): Promise<User | undefined> {
  const [row] = await connection.all<User>(sql`SELECT ${columns} FROM users u WHERE u.email = ${email}`)
  return row
}

async function userById(connection: Sql, id: string): Promise<User | undefined> {
  const [row] = await connection.all<User>(sql`SELECT ${columns} FROM users u WHERE u.id = ${id}`)
  return row
}

/** There is always somebody who can let others in. */
async function isLastOwner(tx: Transaction, id: string): Promise<boolean> {
  const owners = await tx.all<{ id: string }>(sql`SELECT id FROM users WHERE role = 'owner'`)
  return owners.length === 1 && owners[0]!.id === id
}

export const changeUser: Verb<{ id: string; change: UserChange }, User | undefined> = each(
  async (tx, { id, change }) => {
    return await changeOne(tx, id, change)
  },
)

async function changeOne(tx: Transaction, id: string, change: UserChange): Promise<User | undefined> {
  const user = await userById(tx, id)
  if (!user) return undefined
  const { role = user.role, password = user.password, totp = user.totp, totpStep = user.totpStep } = change
  if (role !== 'owner' && (await isLastOwner(tx, id))) return user
  // Codes are used in order: one that was used a moment ago changes nothing.
  if (change.totpStep !== undefined && change.totpStep <= user.totpStep) return undefined
  await tx.all(sql`
    UPDATE users SET role = ${role}, password = ${password}, totp = ${totp}, totp_step = ${totpStep} WHERE id = ${id}`)
  if (change.keepSession !== undefined)
    await tx.all(sql`DELETE FROM sessions WHERE user_id = ${id} AND id <> ${change.keepSession}`)
  if (change.role !== undefined || change.password !== undefined) await endLinks(tx, user.email)
  return await userById(tx, id)
}

/** Links do not outlive the rights that they were made with, or for. */
async function endLinks(tx: Transaction, email: string): Promise<void> {
  await tx.all(sql`DELETE FROM tickets WHERE email = ${email} OR created_by = ${email}`)
}

/** False: nobody else could let others in. */
export const removeUser: Verb<string, boolean> = each(async (tx, id) => {
  if (await isLastOwner(tx, id)) return false
  await tx.all(sql`DELETE FROM sessions WHERE user_id = ${id}`)
  const [gone] = await tx.all<{ email: string }>(sql`DELETE FROM users WHERE id = ${id} RETURNING email`)
  if (gone) await endLinks(tx, gone.email)
  return true
})

export const addTicket: Verb<TicketDraft, Ticket> = each(async (tx, draft) => {
  await tx.all(sql`DELETE FROM tickets WHERE expires_at <= ${tx.now}`)
  // The newest link of its kind for somebody is the one that counts.
  await tx.all(
    sql`DELETE FROM tickets WHERE kind = ${draft.kind} AND COALESCE(email, '') = ${draft.email ?? ''}`,
  )
  const [row] = await tx.all<Ticket>(sql`
    INSERT INTO tickets (hash, id, kind, email, role, created_by, created_at, expires_at)
    VALUES (${draft.hash}, ${randomUUIDv7()}, ${draft.kind}, ${draft.email}, ${draft.role}, ${draft.createdBy},
      ${tx.now}, ${draft.expiresAt})
    RETURNING ${ticketColumns}`)
  return row!
})

export async function ticket(connection: Sql, hash: string, now: number): Promise<Ticket | undefined> {
  const [row] = await connection.all<Ticket>(
    sql`SELECT ${ticketColumns} FROM tickets WHERE hash = ${hash} AND expires_at > ${now}`,
  )
  return row
}

export async function invitations(connection: Sql, now: number): Promise<Ticket[]> {
  return await connection.all<Ticket>(sql`
    SELECT ${ticketColumns} FROM tickets WHERE kind = 'invitation' AND expires_at > ${now} ORDER BY created_at, id`)
}

export const removeTicket: Verb<string, boolean> = each(async (tx, id) => {
  const gone = await tx.all(sql`DELETE FROM tickets WHERE id = ${id} RETURNING id`)
  return gone.length > 0
})

type Redemption = { hash: string; email: string; password: string }

/** Uses a link up. Undefined: it was used, or is too old, or somebody was there before. */
export const redeem: Verb<Redemption, User | undefined> = each(redeemOne)

async function redeemOne(tx: Transaction, { hash, email, password }: Redemption): Promise<User | undefined> {
  const found = await ticket(tx, hash, tx.now)
  if (!found) return undefined
  await tx.all(sql`DELETE FROM tickets WHERE hash = ${hash}`)
  if (found.kind === 'password') {
    const user = await userByEmail(tx, found.email!)
    if (!user) return undefined
    // Whoever lost a password may have lost the app with the codes as well, and sessions to somebody else.
    await tx.all(sql`UPDATE users SET password = ${password}, totp = NULL WHERE id = ${user.id}`)
    await tx.all(sql`DELETE FROM sessions WHERE user_id = ${user.id}`)
    await endLinks(tx, user.email)
    return await userById(tx, user.id)
  }
  const everybody = await users(tx)
  const address = found.email ?? email
  if (found.kind === 'setup' ? everybody.length > 0 : everybody.some(user => user.email === address))
    return undefined
  const role: Role = found.kind === 'setup' ? 'owner' : found.role!
  const id = randomUUIDv7()
  await tx.all(sql`
    INSERT INTO users (id, email, role, password, created_at)
    VALUES (${id}, ${address}, ${role}, ${password}, ${tx.now})`)
  if (found.kind === 'setup') await tx.all(sql`DELETE FROM tickets WHERE kind = 'setup'`)
  return await userById(tx, id)
}

export const beginSession: Verb<SessionDraft, Session | undefined> = each(
  async (tx, { hash, userId, password, address, agent }) => {
    // Between the look at the password and this, another may have been chosen.
    if ((await userById(tx, userId))?.password !== password) return undefined
    await tx.all(sql`DELETE FROM audit WHERE at <= ${tx.now - auditMs}`)
    await tx.all(sql`
    DELETE FROM sessions WHERE seen_at <= ${tx.now - sessionIdleMs} OR created_at <= ${tx.now - sessionMostMs}`)
    const [row] = await tx.all<Session>(sql`
    INSERT INTO sessions (hash, id, user_id, address, agent, created_at, seen_at, confirmed_at)
    VALUES (${hash}, ${randomUUIDv7()}, ${userId}, ${address}, ${agent}, ${tx.now}, ${tx.now}, ${tx.now})
    RETURNING id, user_id AS "userId", address, agent, created_at AS "createdAt", seen_at AS "seenAt",
      confirmed_at AS "confirmedAt"`)
    return row
  },
)

export async function session(connection: Sql, hash: string, now: number): Promise<SignedIn | undefined> {
  const [row] = await connection.all<Session>(sql`
    SELECT ${sessionColumns} FROM sessions s
    WHERE s.hash = ${hash} AND s.seen_at > ${now - sessionIdleMs} AND s.created_at > ${now - sessionMostMs}`)
  const user = row && (await userById(connection, row.userId))
  return user && { ...row, user }
}

export async function sessions(connection: Sql, userId: string, now: number): Promise<Session[]> {
  return await connection.all<Session>(sql`
    SELECT ${sessionColumns} FROM sessions s
    WHERE s.user_id = ${userId} AND s.seen_at > ${now - sessionIdleMs} AND s.created_at > ${now - sessionMostMs}
    ORDER BY s.seen_at DESC, s.id`)
}

export const seeSession: Verb<string, void> = each(async (tx, id) => {
  await tx.all(sql`UPDATE sessions SET seen_at = ${tx.now} WHERE id = ${id}`)
})

export const confirmSession: Verb<string, void> = each(async (tx, id) => {
  await tx.all(sql`UPDATE sessions SET confirmed_at = ${tx.now} WHERE id = ${id}`)
})

export const endSession: Verb<{ userId: string; id: string }, boolean> = each(async (tx, { userId, id }) => {
  const gone = await tx.all(sql`DELETE FROM sessions WHERE id = ${id} AND user_id = ${userId} RETURNING id`)
  return gone.length > 0
})
