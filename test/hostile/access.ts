/** Who may use what: written down once more, by hand, so that a slip in the routes does not go unnoticed. */

export type Who =
  /** A key with this scope, or a person whose role has it. */
  | { scope: string /** Of keys, only those of production. */; isForOperators?: true }
  /** Anybody, known or not. */
  | 'anyone'
  /** People who are signed in, whatever their role. */
  | 'signed in'
  /** Those who look after the team. */
  | 'team'
  /** A phone, with its own token. */
  | 'phone'
  /** Whoever knows a secret that is part of the request: an enrolment, a hook, Meta's signature. */
  | 'secret'

const scoped = (scope: string, list: string): [string, Who][] =>
  list
    .trim()
    .split('\n')
    .flatMap(line => {
      const [method, path] = line.trim().split(' ')
      return ['/api/v1', '/staging/api/v1'].map((base): [string, Who] => [
        `${method} ${base}${path}`,
        { scope },
      ])
    })

const plain = (who: Who, list: string): [string, Who][] =>
  list
    .trim()
    .split('\n')
    .map(line => [line.trim(), who])

/** What gives access that outlasts a session: people who gave their password long ago are refused. */
export const asksPassword: ReadonlySet<string> = new Set([
  ...scoped(
    '',
    `POST /devices
     POST /devices/:device_id/enrolment
     POST /devices/:device_id/link
     POST /links
     POST /webhooks
     PATCH /webhooks/:webhook_id
     POST /webhooks/:webhook_id/rotate
     POST /keys
     POST /keys/:key_id/rotate`,
  ).map(([route]) => route),
  'POST /session/team/invitations',
  'PATCH /session/team/:user_id',
  'POST /session/team/:user_id/password',
])

export const access: ReadonlyMap<string, Who> = new Map([
  ...scoped(
    'messages:send',
    `POST /sms/send
     POST /message/send
     POST /sms/bulk
     POST /message/bulk
     POST /messages/preview
     POST /messages/:message_id/cancel`,
  ),
  ...scoped(
    'messages:read',
    `GET /sms/status/:message_id
     GET /message/status/:message_id
     GET /messages
     GET /messages/:message_id`,
  ),
  ...scoped(
    'inbox:read',
    `GET /messages/received
     GET /message/received
     GET /media/:media_id
     GET /conversations
     GET /conversations/:person
     POST /conversations/:person/read`,
  ),
  ...scoped(
    'devices:read',
    `GET /devices
     GET /device-kinds
     GET /devices/:device_id`,
  ),
  ...scoped(
    'devices:manage',
    `POST /devices
     PATCH /devices/:device_id
     DELETE /devices/:device_id
     POST /devices/:device_id/enrolment
     POST /devices/:device_id/link
     POST /links`,
  ),
  ...scoped(
    'webhooks:manage',
    `GET /webhooks
     POST /webhooks
     GET /webhooks/:webhook_id
     PATCH /webhooks/:webhook_id
     DELETE /webhooks/:webhook_id
     POST /webhooks/:webhook_id/rotate
     POST /webhooks/:webhook_id/test
     POST /webhooks/:webhook_id/replay
     GET /webhooks/:webhook_id/deliveries
     GET /webhooks/:webhook_id/deliveries/:event_id
     POST /webhooks/:webhook_id/deliveries/:event_id/replay`,
  ),
  ...scoped(
    'events:read',
    `GET /events
     GET /events/stream`,
  ),
  ...scoped(
    'people:manage',
    `GET /opt-outs
     POST /opt-outs
     DELETE /opt-outs/:number
     DELETE /people/:number`,
  ),
  ...scoped('stats:read', 'GET /stats'),
  ...scoped(
    'settings:manage',
    `GET /settings
     PATCH /settings`,
  ),
  ...scoped(
    'settings:manage',
    `GET /nodes
     POST /nodes/:node_id/drain`,
  ).map(([route, who]): [string, Who] => [route, { ...(who as { scope: string }), isForOperators: true }]),
  ...scoped(
    'keys:manage',
    `GET /keys
     POST /keys
     POST /keys/:key_id/rotate
     DELETE /keys/:key_id`,
  ),
  ...plain(
    'anyone',
    `GET /healthz
     GET /readyz
     GET /metrics
     GET /openapi.json
     GET /docs
     GET /docs/assets/:file
     GET /docs/errors
     GET /api/v1/openapi.json
     GET /api/v1/docs
     GET /api/v1/docs/assets/:file
     GET /staging/api/v1/openapi.json
     GET /staging/api/v1/docs
     GET /staging/api/v1/docs/assets/:file
     GET /session
     GET /mobile/v1/device`,
  ),
  // A password, or a link, is the proof; wrong ones are refused, with 401 or 410.
  ...plain(
    'secret',
    `POST /session/links/look
     POST /session/login
     POST /session/links/use
     POST /mobile/v1/device
     POST /mobile/v1/hooks/:hook
     GET /whatsapp/v1/webhook
     POST /whatsapp/v1/webhook`,
  ),
  ...plain(
    'signed in',
    `POST /session/password
     POST /session/confirm
     POST /session/two-factor
     POST /session/two-factor/confirm
     POST /session/two-factor/remove
     GET /session/sessions
     DELETE /session/sessions/:session_id`,
  ),
  ...plain(
    'team',
    `GET /session/team
     POST /session/team/invitations
     DELETE /session/team/invitations/:invitation_id
     PATCH /session/team/:user_id
     DELETE /session/team/:user_id
     POST /session/team/:user_id/password
     GET /session/audit`,
  ),
  ...plain(
    'phone',
    `PATCH /mobile/v1/device
     GET /mobile/v1/message
     PATCH /mobile/v1/message
     GET /mobile/v1/webhooks
     GET /mobile/v1/settings
     GET /mobile/v1/events`,
  ),
  // The last: whoever may, is signed out by it.
  ...plain('signed in', 'POST /session/logout'),
])

const looking = ['messages:read', 'inbox:read', 'devices:read', 'events:read', 'stats:read']

/** What each role may do; undefined: everything. */
export const roleScopes: Readonly<Record<string, readonly string[] | undefined>> = {
  viewer: looking,
  operator: [...looking, 'messages:send', 'people:manage'],
  admin: undefined,
  owner: undefined,
}
