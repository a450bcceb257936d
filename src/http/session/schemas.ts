/** The shapes of signing in, on the wire. Only the dashboard uses them. */

import { scopes } from '../../core/access/key.ts'
import { roles } from '../../core/access/user.ts'
import { closed, time, words } from '../api/shapes.ts'
import { type Static, Type } from '../schema.ts'

const success = { success: Type.Boolean() }
const role = words(roles, 'owner and admin: everything; operator: send and read; viewer: read.')
const email = Type.String({ minLength: 3, maxLength: 254 })
/** How good it is, is judged in words of its own. */
const password = Type.String({ maxLength: 1_024 })
const token = Type.String({ minLength: 1, maxLength: 200 })
const code = Type.String({ maxLength: 20 })

export const Member = Type.Object(
  {
    id: Type.String(),
    email: Type.String(),
    role,
    two_factor: Type.Boolean(),
    created_at: time('When they came.'),
  },
  { ...closed, title: 'Member' },
)

export const SessionResponse = Type.Object(
  {
    ...success,
    data: Type.Object(
      {
        set_up: Type.Boolean({ description: 'Whether there is an owner yet.' }),
        insecure: Type.Boolean({ description: 'Passwords and cookies can be read on the way.' }),
        version: Type.Optional(Type.String()),
        public_url: Type.Optional(Type.String()),
        session_id: Type.Optional(Type.String()),
        user: Type.Optional(Member),
        scopes: Type.Optional(Type.Array(words(scopes, 'What they may do, in the words of API keys.'))),
      },
      closed,
    ),
  },
  { ...closed, title: 'SessionResponse' },
)
export type SessionResponse = Static<typeof SessionResponse>

export const TicketRequest = Type.Object({ token }, { ...closed, title: 'TicketRequest' })
export const TicketResponse = Type.Object(
  {
    ...success,
    data: Type.Object(
      {
        kind: words(['setup', 'invitation', 'password'], 'What the link is for.'),
        email: Type.Union([Type.String(), Type.Null()]),
        role: Type.Union([role, Type.Null()]),
        expires_at: time('When it ends.'),
      },
      closed,
    ),
  },
  { ...closed, title: 'TicketResponse' },
)
export type TicketResponse = Static<typeof TicketResponse>

export const RedeemRequest = Type.Object(
  { token, email: Type.Optional(email), password },
  { ...closed, title: 'RedeemRequest' },
)
export type RedeemRequest = Static<typeof RedeemRequest>

export const LoginRequest = Type.Object(
  { email, password, code: Type.Optional(code) },
  { ...closed, title: 'LoginRequest' },
)
export type LoginRequest = Static<typeof LoginRequest>

export const PasswordRequest = Type.Object(
  { current: password, password },
  { ...closed, title: 'PasswordRequest' },
)
export type PasswordRequest = Static<typeof PasswordRequest>

export const ConfirmRequest = Type.Object({ password }, { ...closed, title: 'ConfirmRequest' })
export type ConfirmRequest = Static<typeof ConfirmRequest>

export const TotpResponse = Type.Object(
  { ...success, data: Type.Object({ secret: Type.String(), uri: Type.String() }, closed) },
  { ...closed, title: 'TotpResponse' },
)
export type TotpResponse = Static<typeof TotpResponse>
export const TotpRequest = Type.Object(
  { secret: Type.String({ maxLength: 100 }), code, password },
  { ...closed, title: 'TotpRequest' },
)
export type TotpRequest = Static<typeof TotpRequest>

export const BrowserSession = Type.Object(
  {
    id: Type.String(),
    address: Type.String(),
    agent: Type.String(),
    created_at: time('When it began.'),
    seen_at: time('When it was last used.'),
    current: Type.Boolean({ description: 'Whether it is the one that asks.' }),
  },
  { ...closed, title: 'BrowserSession' },
)
export const BrowserSessionsResponse = Type.Object(
  { ...success, data: Type.Array(BrowserSession) },
  { ...closed, title: 'BrowserSessionsResponse' },
)
export type BrowserSessionsResponse = Static<typeof BrowserSessionsResponse>

export const Invitation = Type.Object(
  {
    id: Type.String(),
    email: Type.String(),
    role,
    created_by: Type.String(),
    created_at: time('When it was made.'),
    expires_at: time('When it ends.'),
  },
  { ...closed, title: 'Invitation' },
)
export const TeamResponse = Type.Object(
  {
    ...success,
    data: Type.Object({ members: Type.Array(Member), invitations: Type.Array(Invitation) }, closed),
  },
  { ...closed, title: 'TeamResponse' },
)
export type TeamResponse = Static<typeof TeamResponse>

export const InviteRequest = Type.Object({ email, role }, { ...closed, title: 'InviteRequest' })
export type InviteRequest = Static<typeof InviteRequest>
export const RoleRequest = Type.Object({ role }, { ...closed, title: 'RoleRequest' })
export type RoleRequest = Static<typeof RoleRequest>
export const LinkResponse = Type.Object(
  {
    ...success,
    data: Type.Object(
      {
        url: Type.String({ description: 'The one-time link, shown this once.' }),
        expires_at: time('When it ends.'),
      },
      closed,
    ),
  },
  { ...closed, title: 'LinkResponse' },
)
export type LinkResponse = Static<typeof LinkResponse>

export const AuditEntry = Type.Object(
  {
    id: Type.String(),
    at: time('When.'),
    email: Type.String({ description: 'Who.' }),
    environment: Type.Union([Type.String(), Type.Null()]),
    action: Type.String({ description: 'The name of the operation.' }),
    target: Type.String({ description: 'Ids of what it was done to.' }),
    fields: Type.Array(Type.String(), { description: 'Which fields were given.' }),
    address: Type.String(),
    refusal: Type.Union([Type.String(), Type.Null()], { description: 'Why it was refused; null: done.' }),
  },
  { ...closed, title: 'AuditEntry' },
)
export const AuditQuery = Type.Object(
  { before: Type.Optional(Type.String({ maxLength: 64, description: 'The id of the last one seen.' })) },
  { ...closed, title: 'AuditQuery' },
)
export type AuditQuery = Static<typeof AuditQuery>
export const AuditResponse = Type.Object(
  { ...success, data: Type.Array(AuditEntry), has_more: Type.Boolean() },
  { ...closed, title: 'AuditResponse' },
)
export type AuditResponse = Static<typeof AuditResponse>

export const OkResponse = Type.Object(success, { ...closed, title: 'OkResponse' })
export type OkResponse = Static<typeof OkResponse>
