/** Signing in and out, and what everybody may change about themselves. */

import type { Accounts, Begun, Caller } from '../../core/access/accounts.ts'
import type { Team } from '../../core/access/team.ts'
import { type SignedIn, scopesOf, type User } from '../../core/access/user.ts'
import type { UserStore } from '../../core/access/user-store.ts'
import { isoTime } from '../../core/lib/time.ts'
import { Problem } from '../../core/problem.ts'
import * as shapes from './schemas.ts'

export type SessionRequest = {
  /** Who asks; null: nobody we know. */
  visitor: SignedIn | null
  body: unknown
  query: unknown
  params: Readonly<Record<string, string>>
  caller: Caller
  isInsecure: boolean
  /** Says whom the audit log should name. */
  name: (email: string) => void
  /** Gives the browser its session, or takes it away. */
  setSession: (begun: Pick<Begun, 'token' | 'browser'> | undefined) => void
}

export type SessionRoute = {
  operation: string
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  path: string
  /** Who may ask at all. */
  access: 'anyone' | 'signed in' | 'team'
  body?: object
  query?: object
  response: object
  /** It changes nothing, whatever the method says. */
  isLook?: true
  /** Takes a password, which must not go over an open line. */
  isLogin?: true
  /** It gives access that outlasts a session: people give their password again. */
  asksPassword?: true
  /** What the audit log should tell beside ids. */
  target?: (body: unknown) => string
  action: (request: SessionRequest) => Promise<object>
}

export type SessionRouteParts = {
  accounts: Accounts
  team: Team
  store: UserStore
  publicUrl: () => string
  version: string
}

export const ok = { success: true }

export function sessionRoutes({ accounts, store, publicUrl, version }: SessionRouteParts): SessionRoute[] {
  return [
    {
      operation: 'session',
      method: 'GET',
      path: '/',
      access: 'anyone',
      response: shapes.SessionResponse,
      action: async ({ visitor, isInsecure }): Promise<shapes.SessionResponse> => ({
        success: true,
        data: {
          set_up: await accounts.isSetUp(),
          insecure: isInsecure,
          ...(visitor && {
            version,
            public_url: publicUrl(),
            session_id: visitor.id,
            user: member(visitor.user),
            scopes: [...scopesOf[visitor.user.role]],
          }),
        },
      }),
    },
    {
      operation: 'lookAtLink',
      method: 'POST',
      path: '/links/look',
      access: 'anyone',
      isLook: true,
      body: shapes.TicketRequest,
      response: shapes.TicketResponse,
      action: async ({ body }): Promise<shapes.TicketResponse> => {
        const { kind, email, role, expiresAt } = await accounts.look((body as { token: string }).token)
        return { success: true, data: { kind, email, role, expires_at: isoTime(expiresAt) } }
      },
    },
    {
      operation: 'useLink',
      method: 'POST',
      path: '/links/use',
      access: 'anyone',
      isLogin: true,
      body: shapes.RedeemRequest,
      response: shapes.OkResponse,
      action: async ({ body, caller, name, setSession }) => {
        const { token, ...given } = body as shapes.RedeemRequest
        const begun = await accounts.redeem(token, given, caller)
        name(begun.user.email)
        setSession(begun)
        return ok
      },
    },
    {
      operation: 'login',
      method: 'POST',
      path: '/login',
      access: 'anyone',
      isLogin: true,
      body: shapes.LoginRequest,
      response: shapes.OkResponse,
      action: async ({ body, caller, setSession }) => {
        const begun = await accounts.logIn(body as shapes.LoginRequest, caller)
        setSession(begun)
        return ok
      },
    },
    {
      operation: 'logout',
      method: 'POST',
      path: '/logout',
      access: 'signed in',
      response: shapes.OkResponse,
      action: async ({ visitor, setSession }) => {
        await store.endSession(visitor!.userId, visitor!.id)
        setSession(undefined)
        return ok
      },
    },
    {
      operation: 'changePassword',
      method: 'POST',
      path: '/password',
      access: 'signed in',
      isLogin: true,
      body: shapes.PasswordRequest,
      response: shapes.OkResponse,
      action: async ({ visitor, body }) => {
        const { current, password } = body as shapes.PasswordRequest
        await accounts.changePassword(visitor!, current, password)
        return ok
      },
    },
    {
      operation: 'confirmPassword',
      method: 'POST',
      path: '/confirm',
      access: 'signed in',
      isLogin: true,
      body: shapes.ConfirmRequest,
      response: shapes.OkResponse,
      action: async ({ visitor, body }) => {
        await accounts.confirmSession(visitor!, (body as shapes.ConfirmRequest).password)
        return ok
      },
    },
    {
      operation: 'beginTwoFactor',
      method: 'POST',
      path: '/two-factor',
      access: 'signed in',
      isLook: true,
      response: shapes.TotpResponse,
      action: async ({ visitor }): Promise<shapes.TotpResponse> => ({
        success: true,
        data: accounts.beginTotp(visitor!.user),
      }),
    },
    {
      operation: 'confirmTwoFactor',
      method: 'POST',
      path: '/two-factor/confirm',
      access: 'signed in',
      isLogin: true,
      body: shapes.TotpRequest,
      response: shapes.OkResponse,
      action: async ({ visitor, body }) => {
        const { secret, code, password } = body as shapes.TotpRequest
        await accounts.confirmTotp(visitor!.user, password, secret, code)
        return ok
      },
    },
    {
      operation: 'removeTwoFactor',
      method: 'POST',
      path: '/two-factor/remove',
      access: 'signed in',
      isLogin: true,
      body: shapes.ConfirmRequest,
      response: shapes.OkResponse,
      action: async ({ visitor, body }) => {
        await accounts.removeTotp(visitor!.user, (body as shapes.ConfirmRequest).password)
        return ok
      },
    },
    {
      operation: 'browserSessions',
      method: 'GET',
      path: '/sessions',
      access: 'signed in',
      response: shapes.BrowserSessionsResponse,
      action: async ({ visitor }): Promise<shapes.BrowserSessionsResponse> => ({
        success: true,
        data: (await store.sessions(visitor!.userId)).map(({ id, address, agent, createdAt, seenAt }) => ({
          id,
          address,
          agent,
          created_at: isoTime(createdAt),
          seen_at: isoTime(seenAt),
          current: id === visitor!.id,
        })),
      }),
    },
    {
      operation: 'endBrowserSession',
      method: 'DELETE',
      path: '/sessions/:session_id',
      access: 'signed in',
      response: shapes.OkResponse,
      action: async ({ visitor, params }) => {
        if (!(await store.endSession(visitor!.userId, params.session_id!)))
          throw new Problem('not_found', 'There is no such session.')
        return ok
      },
    },
  ]
}

export const member = ({ id, email, role, totp, createdAt }: User) => ({
  id,
  email,
  role,
  two_factor: totp !== null,
  created_at: isoTime(createdAt),
})
