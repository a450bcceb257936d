/** People who sign in to the dashboard: what each may do, and the one-time links that let them in. */

import { hash, randomBytes } from 'node:crypto'
import { type Scope, scopes } from './key.ts'

export const roles = ['owner', 'admin', 'operator', 'viewer'] as const
export type Role = (typeof roles)[number]

export type User = {
  id: string
  email: string
  role: Role
  /** A hash, with how it was made. */
  password: string
  /** Sealed; null: the password is enough. */
  totp: string | null
  /** The last one-time code that was used. */
  totpStep: number
  createdAt: number
}

const looking: readonly Scope[] = ['messages:read', 'inbox:read', 'devices:read', 'events:read', 'stats:read']

/** What each role may do over the API, in both environments. */
export const scopesOf: Record<Role, readonly Scope[]> = {
  viewer: looking,
  operator: [...looking, 'messages:send', 'people:manage'],
  admin: scopes,
  owner: scopes,
}

/** Who may look after the team, and read the audit log. */
export const managesTeam = (role: Role): boolean => role === 'owner' || role === 'admin'

/** Whether somebody may give, or take away, this role: owners are made by owners only. */
export const mayGrant = (by: Role, role: Role): boolean =>
  by === 'owner' || (by === 'admin' && role !== 'owner')

/** How long a session lasts unused, and at most. */
export const sessionIdleMs = 12 * 3_600_000
export const sessionMostMs = 7 * 24 * 3_600_000

/** For so long after the password was given, lasting access can be given to others without it. */
export const confirmedMs = 15 * 60_000

export type Session = {
  id: string
  userId: string
  address: string
  /** What the browser calls itself. */
  agent: string
  createdAt: number
  seenAt: number
  /** When the password was last given. */
  confirmedAt: number
}
/** `password`: the one that was given, as it was kept then. */
export type SessionDraft = Pick<Session, 'userId' | 'address' | 'agent'> & { hash: string; password: string }
/** A session, and whose it is. */
export type SignedIn = Session & { user: User }

export type TicketKind = 'setup' | 'invitation' | 'password'

/** A one-time link. */
export type Ticket = {
  id: string
  kind: TicketKind
  /** Whom it is for; null: whoever sets the gateway up. */
  email: string | null
  /** What an invited person will be. */
  role: Role | null
  createdBy: string
  createdAt: number
  expiresAt: number
}
export type TicketDraft = Omit<Ticket, 'id' | 'createdAt'> & { hash: string }

export const ticketMs: Record<TicketKind, number> = {
  setup: 3_600_000,
  password: 3_600_000,
  invitation: 7 * 24 * 3_600_000,
}

/** Where the page of a one-time link is. The secret is in the fragment, which browsers tell no server. */
export const ticketUrl = (publicUrl: string, kind: TicketKind, secret: string): string =>
  `${publicUrl}/${kind === 'setup' ? 'setup' : 'welcome'}#${secret}`

/** 256 random bits: nobody can try them all, so a quick hash of them is enough. */
export const newToken = (): string => randomBytes(32).toString('base64url')
export const hashToken = (token: string): string => hash('sha256', token, 'base64url')

/** For so long it can be looked up what people did. */
export const auditMs = 400 * 24 * 3_600_000

/** One thing that a person did, or was refused. */
export type AuditEntry = {
  id: string
  at: number
  email: string
  environment: string | null
  /** The name of the operation. */
  action: string
  /** What it was done to: ids, never numbers or texts. */
  target: string
  /** Which fields were given; their values are not stored. */
  fields: readonly string[]
  address: string
  /** Why it was refused; null: it was done. */
  refusal: string | null
}
export type AuditDraft = Omit<AuditEntry, 'id' | 'at'>
export type AuditPage = { limit: number; before?: string }
