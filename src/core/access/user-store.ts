/** Port: what we need remembered of people who sign in. */

import type { Awaitable } from '../lib/awaitable.ts'
import type {
  AuditDraft,
  AuditEntry,
  AuditPage,
  Session,
  SessionDraft,
  SignedIn,
  Ticket,
  TicketDraft,
  User,
} from './user.ts'

export type UserChange = Partial<Pick<User, 'role' | 'password' | 'totp' | 'totpStep'>> & {
  /** All other sessions of theirs end. */
  keepSession?: string
}

/** Who tries to sign in: an account, or an address, and for how long it may be kept waiting. */
export type LoginTry = { name: string; mostWaitMs: number }

export interface UserStore {
  users(): Awaitable<User[]>
  userByEmail(email: string): Awaitable<User | undefined>
  /** Undefined: there is none, or a one-time code was used before. The last owner stays one. */
  changeUser(id: string, change: UserChange): Promise<User | undefined>
  /** False: it is the last owner. */
  removeUser(id: string): Promise<boolean>

  addTicket(draft: TicketDraft): Promise<Ticket>
  ticket(hash: string): Awaitable<Ticket | undefined>
  invitations(): Awaitable<Ticket[]>
  removeTicket(id: string): Promise<boolean>
  /** Uses a link up: somebody new, or a new password. Undefined: too late. */
  redeem(hash: string, email: string, password: string): Promise<User | undefined>

  /** Undefined: the password is not theirs any more. */
  beginSession(draft: SessionDraft): Promise<Session | undefined>
  session(hash: string): Awaitable<SignedIn | undefined>
  sessions(userId: string): Awaitable<Session[]>
  seeSession(id: string): Promise<void>
  /** The password was given again. */
  confirmSession(id: string): Promise<void>
  endSession(userId: string, id: string): Promise<boolean>

  /** Counts a try before it is made. Returns how many milliseconds to wait instead; 0: go ahead. */
  tryLogin(tries: readonly LoginTry[]): Promise<number>
  forgiveLogin(names: readonly string[]): Promise<void>

  /** Notes what a person is about to do. Returns its id. */
  audit(draft: AuditDraft): Promise<string>
  /** It was refused. Undefined: that is not worth keeping, and the row goes. */
  auditRefusal(id: string, refusal: string | undefined): Promise<void>
  /** Newest first. */
  auditLog(page: AuditPage): Awaitable<AuditEntry[]>
}
