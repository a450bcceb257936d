/** The team, and what its members did. */

import { type Ticket, ticketUrl } from '../../core/access/user.ts'
import { isoTime } from '../../core/lib/time.ts'
import { uuidOf } from '../api/query.ts'
import { member, ok, type SessionRoute, type SessionRouteParts } from './routes.ts'
import * as shapes from './schemas.ts'

const auditPage = 50

export function teamRoutes({ team, store, publicUrl }: SessionRouteParts): SessionRoute[] {
  const link = (token: string, { kind, expiresAt }: Ticket): shapes.LinkResponse => ({
    success: true,
    data: { url: ticketUrl(publicUrl(), kind, token), expires_at: isoTime(expiresAt) },
  })
  return [
    {
      operation: 'team',
      method: 'GET',
      path: '/team',
      access: 'team',
      response: shapes.TeamResponse,
      action: async (): Promise<shapes.TeamResponse> => {
        const [members, invitations] = await Promise.all([store.users(), store.invitations()])
        return {
          success: true,
          data: { members: members.map(member), invitations: invitations.map(invitation) },
        }
      },
    },
    {
      operation: 'invite',
      method: 'POST',
      path: '/team/invitations',
      access: 'team',
      asksPassword: true,
      body: shapes.InviteRequest,
      target: body => `${(body as shapes.InviteRequest).email} ${(body as shapes.InviteRequest).role}`,
      response: shapes.LinkResponse,
      action: async ({ visitor, body }) => {
        const { email, role } = body as shapes.InviteRequest
        const { token, ticket } = await team.invite(visitor!.user, email, role)
        return link(token, ticket)
      },
    },
    {
      operation: 'uninvite',
      method: 'DELETE',
      path: '/team/invitations/:invitation_id',
      access: 'team',
      response: shapes.OkResponse,
      action: async ({ visitor, params }) => {
        await team.uninvite(visitor!.user, params.invitation_id!)
        return ok
      },
    },
    {
      operation: 'changeRole',
      method: 'PATCH',
      path: '/team/:user_id',
      access: 'team',
      asksPassword: true,
      body: shapes.RoleRequest,
      target: body => (body as shapes.RoleRequest).role,
      response: shapes.OkResponse,
      action: async ({ visitor, params, body }) => {
        await team.changeRole(visitor!.user, params.user_id!, (body as shapes.RoleRequest).role)
        return ok
      },
    },
    {
      operation: 'removeMember',
      method: 'DELETE',
      path: '/team/:user_id',
      access: 'team',
      response: shapes.OkResponse,
      action: async ({ visitor, params }) => {
        await team.remove(visitor!.user, params.user_id!)
        return ok
      },
    },
    {
      operation: 'resetPassword',
      method: 'POST',
      path: '/team/:user_id/password',
      access: 'team',
      asksPassword: true,
      response: shapes.LinkResponse,
      action: async ({ visitor, params }) => {
        const { token, ticket } = await team.resetPassword(visitor!.user, params.user_id!)
        return link(token, ticket)
      },
    },
    {
      operation: 'auditLog',
      method: 'GET',
      path: '/audit',
      access: 'team',
      query: shapes.AuditQuery,
      response: shapes.AuditResponse,
      action: async ({ query }): Promise<shapes.AuditResponse> => {
        const { before: given } = query as shapes.AuditQuery
        const before = given === undefined ? {} : { before: uuidOf('before', given) }
        const found = await store.auditLog({ limit: auditPage + 1, ...before })
        return {
          success: true,
          data: found
            .slice(0, auditPage)
            .map(({ at, fields, ...rest }) => ({ ...rest, at: isoTime(at), fields: [...fields] })),
          has_more: found.length > auditPage,
        }
      },
    },
  ]
}

const invitation = ({ id, email, role, createdBy, createdAt, expiresAt }: Ticket) => ({
  id,
  email: email!,
  role: role!,
  created_by: createdBy,
  created_at: isoTime(createdAt),
  expires_at: isoTime(expiresAt),
})
