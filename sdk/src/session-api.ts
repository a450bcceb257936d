/** The shapes of /session. Written by `npm run api` from the schemas that the gateway checks with. */

export type AuditEntry = {
  id: string
  /** When. */
  at: string
  /** Who. */
  email: string
  environment: string | null
  /** The name of the operation. */
  action: string
  /** Ids of what it was done to. */
  target: string
  /** Which fields were given. */
  fields: string[]
  address: string
  /** Why it was refused; null: done. */
  refusal: string | null
}

export type AuditQuery = {
  /** The id of the last one seen. */
  before?: string
}

export type AuditResponse = {
  success: boolean
  data: AuditEntry[]
  has_more: boolean
}

export type BrowserSession = {
  id: string
  address: string
  agent: string
  /** When it began. */
  created_at: string
  /** When it was last used. */
  seen_at: string
  /** Whether it is the one that asks. */
  current: boolean
}

export type BrowserSessionsResponse = {
  success: boolean
  data: BrowserSession[]
}

export type ConfirmRequest = {
  password: string
}

export type Invitation = {
  id: string
  email: string
  /** owner and admin: everything; operator: send and read; viewer: read. */
  role: 'owner' | 'admin' | 'operator' | 'viewer'
  created_by: string
  /** When it was made. */
  created_at: string
  /** When it ends. */
  expires_at: string
}

export type InviteRequest = {
  email: string
  /** owner and admin: everything; operator: send and read; viewer: read. */
  role: 'owner' | 'admin' | 'operator' | 'viewer'
}

export type LinkResponse = {
  success: boolean
  data: {
    /** The one-time link, shown this once. */
    url: string
    /** When it ends. */
    expires_at: string
  }
}

export type LoginRequest = {
  email: string
  password: string
  code?: string
}

export type Member = {
  id: string
  email: string
  /** owner and admin: everything; operator: send and read; viewer: read. */
  role: 'owner' | 'admin' | 'operator' | 'viewer'
  two_factor: boolean
  /** When they came. */
  created_at: string
}

export type OkResponse = {
  success: boolean
}

export type PasswordRequest = {
  current: string
  password: string
}

export type RedeemRequest = {
  token: string
  email?: string
  password: string
}

export type RoleRequest = {
  /** owner and admin: everything; operator: send and read; viewer: read. */
  role: 'owner' | 'admin' | 'operator' | 'viewer'
}

export type SessionResponse = {
  success: boolean
  data: {
    /** Whether there is an owner yet. */
    set_up: boolean
    /** Passwords and cookies can be read on the way. */
    insecure: boolean
    version?: string
    public_url?: string
    session_id?: string
    user?: Member
    scopes?: Array<'messages:send' | 'messages:read' | 'inbox:read' | 'devices:read' | 'devices:manage' | 'webhooks:manage' | 'events:read' | 'people:manage' | 'stats:read' | 'settings:manage' | 'keys:manage'>
  }
}

export type TeamResponse = {
  success: boolean
  data: {
    members: Member[]
    invitations: Invitation[]
  }
}

export type TicketRequest = {
  token: string
}

export type TicketResponse = {
  success: boolean
  data: {
    /** What the link is for. */
    kind: 'setup' | 'invitation' | 'password'
    email: string | null
    role: 'owner' | 'admin' | 'operator' | 'viewer' | null
    /** When it ends. */
    expires_at: string
  }
}

export type TotpRequest = {
  secret: string
  code: string
  password: string
}

export type TotpResponse = {
  success: boolean
  data: {
    secret: string
    uri: string
  }
}
