/** Signing in to the dashboard with a browser, and looking after the team. Programs use API keys instead. */

import type {
  AuditQuery,
  AuditResponse,
  BrowserSessionsResponse,
  ConfirmRequest,
  InviteRequest,
  LinkResponse,
  LoginRequest,
  OkResponse,
  PasswordRequest,
  RedeemRequest,
  RoleRequest,
  SessionResponse,
  TeamResponse,
  TicketResponse,
  TotpRequest,
  TotpResponse,
} from './session-api.ts'
import { type Asked, type BasestationOptions, Transport } from './transport.ts'

export class BasestationSession {
  readonly #transport: Transport

  /** The gateway's address; in its own pages nothing. */
  constructor(url = '', options: Pick<BasestationOptions, 'onRefused'> = {}) {
    this.#transport = new Transport({ url, ...options }, `${url.replace(/\/+$/, '')}/session`)
  }

  /** Who is signed in, if anybody is. */
  session(): Promise<SessionResponse> {
    return this.#ask('GET', '/')
  }

  /** What a one-time link is for, without using it up. */
  lookAtLink(token: string): Promise<TicketResponse> {
    return this.#ask('POST', '/links/look', { token })
  }

  /** Uses a one-time link: sets the gateway up, joins the team, or chooses a new password. */
  redeemLink(request: RedeemRequest): Promise<OkResponse> {
    return this.#ask('POST', '/links/use', request)
  }

  login(request: LoginRequest): Promise<OkResponse> {
    return this.#ask('POST', '/login', request)
  }

  logout(): Promise<OkResponse> {
    return this.#ask('POST', '/logout')
  }

  /** Other sessions end. */
  changePassword(request: PasswordRequest): Promise<OkResponse> {
    return this.#ask('POST', '/password', request)
  }

  /** For fifteen minutes, what gives others lasting access is not refused with `password_needed`. */
  confirmPassword(request: ConfirmRequest): Promise<OkResponse> {
    return this.#ask('POST', '/confirm', request)
  }

  /** A secret for an authenticator app, which counts once a code of it was confirmed. */
  beginTwoFactor(): Promise<TotpResponse> {
    return this.#ask('POST', '/two-factor')
  }

  confirmTwoFactor(request: TotpRequest): Promise<OkResponse> {
    return this.#ask('POST', '/two-factor/confirm', request)
  }

  removeTwoFactor(request: ConfirmRequest): Promise<OkResponse> {
    return this.#ask('POST', '/two-factor/remove', request)
  }

  /** Where one is signed in. */
  sessions(): Promise<BrowserSessionsResponse> {
    return this.#ask('GET', '/sessions')
  }

  endSession(id: string): Promise<OkResponse> {
    return this.#ask('DELETE', `/sessions/${encodeURIComponent(id)}`)
  }

  team(): Promise<TeamResponse> {
    return this.#ask('GET', '/team')
  }

  /** A one-time link for somebody new. */
  invite(request: InviteRequest): Promise<LinkResponse> {
    return this.#ask('POST', '/team/invitations', request)
  }

  uninvite(id: string): Promise<OkResponse> {
    return this.#ask('DELETE', `/team/invitations/${encodeURIComponent(id)}`)
  }

  changeRole(id: string, request: RoleRequest): Promise<OkResponse> {
    return this.#ask('PATCH', `/team/${encodeURIComponent(id)}`, request)
  }

  removeMember(id: string): Promise<OkResponse> {
    return this.#ask('DELETE', `/team/${encodeURIComponent(id)}`)
  }

  /** A one-time link with which somebody chooses a new password. */
  resetPassword(id: string): Promise<LinkResponse> {
    return this.#ask('POST', `/team/${encodeURIComponent(id)}/password`)
  }

  /** What people did, newest first. */
  audit({ before }: AuditQuery = {}): Promise<AuditResponse> {
    return this.#ask('GET', before === undefined ? '/audit' : `/audit?before=${encodeURIComponent(before)}`)
  }

  /** Never repeated by itself: a link that was used does not work twice. */
  #ask<Answer>(method: Asked['method'], path: string, body?: unknown): Promise<Answer> {
    return this.#transport.once({ method, path, body }, response => response.json())
  }
}
