/** How people get into the dashboard: one-time links, passwords, one-time codes, sessions. */

import { invalid, Problem } from '../problem.ts'
import { placeOfAddress } from './network.ts'
import { hashPassword, isNobodys, isPassword, weakness } from './password.ts'
import { newTotpSecret, totpStepAt, totpUri, usedStep } from './totp.ts'
import {
  confirmedMs,
  hashToken,
  newToken,
  type Role,
  type Session,
  type SignedIn,
  type Ticket,
  type TicketKind,
  ticketMs,
  type User,
} from './user.ts'
import type { LoginTry, UserChange, UserStore } from './user-store.ts'

export type AccountParts = {
  store: UserStore
  /** Secrets of authenticator apps are kept sealed, and browsers keep sealed who signed in there. */
  seal: (what: 'totp' | 'browser', text: string) => string
  open: (what: 'totp' | 'browser', sealed: string) => string
  now: () => number
}

/** Where somebody comes from. `browser`: what it was given when somebody signed in there before. */
export type Caller = { address: string; agent: string; browser?: string | undefined }

/** A session that has begun, with the token only its browser has, and what the browser keeps when it ends. */
export type Begun = { token: string; browser: string; session: Session; user: User }

/** How long an account, and an address, is kept waiting after many wrong tries. An account may be under attack while its owner wants in. */
const accountWaitMs = 60_000
const addressWaitMs = 15 * 60_000
/** How often it is noted that a session is in use. */
const seeMs = 60_000
const longestAgent = 300

export class Accounts {
  readonly #parts: AccountParts

  constructor(parts: AccountParts) {
    this.#parts = parts
  }

  async isSetUp(): Promise<boolean> {
    return (await this.#parts.store.users()).length > 0
  }

  /** A one-time link of this kind: its secret. */
  async ticket(
    kind: TicketKind,
    createdBy: string,
    whom: { email: string | null; role: Role | null } = { email: null, role: null },
  ): Promise<{ token: string; ticket: Ticket }> {
    const token = newToken()
    const expiresAt = this.#parts.now() + ticketMs[kind]
    const draft = { hash: hashToken(token), kind, ...whom, createdBy, expiresAt }
    return { token, ticket: await this.#parts.store.addTicket(draft) }
  }

  /** What a link is for, without using it up. */
  async look(token: string): Promise<Ticket> {
    const ticket = await this.#parts.store.ticket(hashToken(token))
    if (!ticket || (ticket.kind === 'setup' && (await this.isSetUp()))) throw linkExpired()
    return ticket
  }

  /** Uses a link: a first owner, an invited person, or a new password. Whoever has it is signed in. */
  async redeem(token: string, given: { email?: string; password: string }, caller: Caller): Promise<Begun> {
    const ticket = await this.look(token)
    const email = ticket.email ?? emailOf(given.email ?? '')
    checkPassword(given.password, email)
    const password = await hashPassword(given.password)
    const user = await this.#parts.store.redeem(hashToken(token), email, password)
    if (!user) throw linkExpired()
    return await this.#begin(user, caller)
  }

  async logIn(
    given: { email: string; password: string; code?: string | undefined },
    caller: Caller,
  ): Promise<Begun> {
    const { store } = this.#parts
    const email = given.email.trim().toLowerCase()
    const [account, address] = this.#counters(email, caller)
    await this.#requirePatience([account, address])
    const user = await store.userByEmail(email)
    const isRight = user ? await isPassword(given.password, user.password) : await isNobodys(given.password)
    if (!user || !isRight) throw wrongCredentials()
    if (user.totp !== null) {
      if (given.code === undefined || given.code === '') {
        await store.forgiveLogin([address.name])
        throw new Problem('code_needed', 'Give the code from your authenticator app as well.')
      }
      await this.#useCode(user, user.totp, given.code)
    }
    await store.forgiveLogin([account.name, address.name])
    return await this.#begin(user, caller)
  }

  /**
   * A browser in which this person signed in before has counters of its own: strangers who try the account elsewhere
   * must not keep its owner out.
   */
  #counters(email: string, { address, browser }: Caller): [LoginTry, LoginTry] {
    const known = browser === undefined ? undefined : this.#browserOf(email, browser)
    return [
      { name: known ? `account browser ${known}` : `account ${hashToken(email)}`, mostWaitMs: accountWaitMs },
      {
        name: known ? `address browser ${known}` : `address ${placeOfAddress(address)}`,
        mostWaitMs: addressWaitMs,
      },
    ]
  }

  /** Compares the sealed content: one content can have many sealed forms. */
  #browserOf(email: string, browser: string): string | undefined {
    try {
      const known = JSON.parse(this.#parts.open('browser', browser)) as { email: string; id: string }
      return known.email === email ? known.id : undefined
    } catch {
      return undefined
    }
  }

  async #useCode(user: User, sealed: string, code: string): Promise<void> {
    const { store, open, now } = this.#parts
    let secret: string
    try {
      secret = open('totp', sealed)
    } catch {
      throw new Problem(
        'wrong_credentials',
        `Two-factor codes cannot be checked: the secret key of the gateway has changed. On the gateway’s machine run: npx basestation users reset ${user.email}`,
      )
    }
    const totpStep = usedStep(secret, code, now(), user.totpStep)
    // If one code is used twice at the same time, only one succeeds.
    if (totpStep === undefined || !(await store.changeUser(user.id, { totpStep })))
      throw new Problem('wrong_credentials', 'The code is wrong, or was used before.')
  }

  async #begin(user: User, { address, agent }: Caller): Promise<Begun> {
    const token = newToken()
    const session = await this.#parts.store.beginSession({
      hash: hashToken(token),
      userId: user.id,
      password: user.password,
      address,
      agent: agent.slice(0, longestAgent),
    })
    if (!session) throw wrongCredentials()
    // Another one for each session, so that each has counters of its own.
    const browser = this.#parts.seal('browser', JSON.stringify({ email: user.email, id: session.id }))
    return { token, browser, session, user }
  }

  /** The session of this token. `isUse`: a user action, not just a page left open. */
  async signedIn(token: string, isUse = true): Promise<SignedIn | undefined> {
    const { store, now } = this.#parts
    const found = await store.session(hashToken(token))
    if (isUse && found && found.seenAt <= now() - seeMs) await store.seeSession(found.id)
    return found
  }

  /** Other sessions of theirs end. */
  async changePassword({ id, user }: SignedIn, current: string, next: string): Promise<void> {
    await this.confirm(user, current, '/current')
    checkPassword(next, user.email)
    await this.#parts.store.changeUser(user.id, { password: await hashPassword(next), keepSession: id })
  }

  /** Counts a try, and throws while one has to wait after many wrong ones. */
  async #requirePatience(tries: readonly LoginTry[]): Promise<void> {
    const wait = await this.#parts.store.tryLogin(tries)
    if (wait <= 0) return
    const seconds = Math.ceil(wait / 1_000)
    throw new Problem('rate_limited', `Too many wrong tries. Try again in ${seconds} seconds.`, {
      retryAfter: seconds,
    })
  }

  /** Checks the password again before a sensitive action. */
  async confirm(user: User, password: string, pointer = '/password'): Promise<void> {
    await this.#requirePatience([{ name: `confirm ${user.id}`, mostWaitMs: accountWaitMs }])
    if (!(await isPassword(password, user.password))) throw invalid(pointer, 'The password is wrong.')
    await this.#parts.store.forgiveLogin([`confirm ${user.id}`])
  }

  /** They gave their password: for a while they may give others lasting access. */
  async confirmSession({ id, user }: SignedIn, password: string): Promise<void> {
    await this.confirm(user, password)
    await this.#parts.store.confirmSession(id)
  }

  /** A browser that was left open must not give others access that outlasts its session. */
  unconfirmed({ confirmedAt }: SignedIn): Problem | undefined {
    if (confirmedAt > this.#parts.now() - confirmedMs) return undefined
    return new Problem('password_needed', 'Confirm your password first.')
  }

  /** A secret for an authenticator app. It counts once a code made with it was given. */
  beginTotp({ email }: User): { secret: string; uri: string } {
    const secret = newTotpSecret()
    return { secret, uri: totpUri(secret, email) }
  }

  async confirmTotp(user: User, password: string, secret: string, code: string): Promise<void> {
    const { seal, now } = this.#parts
    await this.confirm(user, password)
    if (user.totp !== null) throw invalid('', 'Two-factor authentication is already on. Turn it off first.')
    if (!/^[A-Z2-7]{32}$/.test(secret)) throw invalid('/secret', 'This is not a secret that was made here.')
    const step = usedStep(secret, code, now(), 0)
    if (step === undefined) throw invalid('/code', 'The code is wrong. Is the clock of your phone right?')
    await this.#change(user, { totp: seal('totp', secret), totpStep: Math.max(step, user.totpStep + 1) })
  }

  async removeTotp(user: User, password: string): Promise<void> {
    await this.confirm(user, password)
    const step = Math.max(totpStepAt(this.#parts.now()), user.totpStep + 1)
    await this.#change(user, { totp: null, totpStep: step })
  }

  async #change(user: User, change: UserChange): Promise<void> {
    if (!(await this.#parts.store.changeUser(user.id, change)))
      throw new Problem('wrong_credentials', 'Your account was changed by another request. Try again.')
  }
}

const wrongCredentials = () =>
  new Problem('wrong_credentials', 'The e-mail address or the password is wrong.')
const linkExpired = () =>
  new Problem('link_expired', 'This link was used already, or is too old. Ask for a new one.')

function checkPassword(password: string, email: string): void {
  const weak = weakness(password, email)
  if (weak !== undefined) throw invalid('/password', `The password ${weak}`)
}

/** Checks only the form of an email address, not that mail arrives. */
export function emailOf(text: string): string {
  const email = text.trim().toLowerCase()
  if (email.length > 254 || !/^[^\s@<>"]+@[^\s@<>"]+$/.test(email))
    throw invalid('/email', 'This is not an e-mail address.')
  return email
}
