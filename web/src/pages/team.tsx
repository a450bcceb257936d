/** The team: who may sign in, and as what. */

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { LinkResponse, Member } from '../../../sdk/src/index.ts'
import { useAct } from '../act.ts'
import { Button } from '../parts/button.tsx'
import { Confirm } from '../parts/confirm.tsx'
import { Secret } from '../parts/copy.tsx'
import { actions, DataTable } from '../parts/data-table.tsx'
import { SelectField, TextField } from '../parts/field.tsx'
import { Menu, type MenuItem } from '../parts/menu.tsx'
import { Found, Notice, Page } from '../parts/page.tsx'
import { visible } from '../parts/person.tsx'
import { Sheet } from '../parts/sheet.tsx'
import { exactly, Time } from '../parts/show.tsx'
import { type Role, session, useManagesTeam, useSignedIn } from '../session.ts'

type Link = LinkResponse['data']

const roles: readonly { value: Role; label: string; about: string }[] = [
  { value: 'viewer', label: 'Viewer', about: 'looks, and changes nothing' },
  { value: 'operator', label: 'Operator', about: 'sends, answers, looks after opt-outs' },
  { value: 'admin', label: 'Admin', about: 'everything, but for owners' },
  { value: 'owner', label: 'Owner', about: 'everything' },
]
const options = roles.map(({ value, label, about }) => ({ value, label: `${label}: ${about}` }))
const stale = ['team']

export default function Team() {
  const query = useQuery({ queryKey: ['team'], queryFn: async () => (await session.team()).data })
  const mayManage = useManagesTeam()
  const [isInviting, setInviting] = useState(false)
  const [link, setLink] = useState<Link>()
  return (
    <Page
      title="Team"
      about="Roles apply to both environments."
      actions={
        mayManage && (
          <Button look="primary" icon="plus" onClick={() => setInviting(true)}>
            Invite somebody
          </Button>
        )
      }
    >
      <Found query={query}>
        {({ members, invitations }) => (
          <div className="stack wide">
            <div className="card flush">
              <DataTable heads={['E-mail', 'Role', 'Two-factor', 'Since', actions]}>
                {members.map(member => (
                  <MemberRow key={member.id} member={member} onLink={setLink} />
                ))}
              </DataTable>
            </div>
            {invitations.length > 0 && (
              <section className="card flush" aria-labelledby="invited">
                <header>
                  <h2 id="invited">Invited</h2>
                </header>
                <DataTable heads={['E-mail', 'Role', 'By', 'Ends', actions]}>
                  {invitations.map(({ id, email, role, created_by: by, expires_at: until }) => (
                    <tr key={id}>
                      <td>{visible(email)}</td>
                      <td>{role}</td>
                      <td className="muted">{visible(by)}</td>
                      <td className="muted">
                        <Time at={until} />
                      </td>
                      <td className="acts">
                        <Uninvite id={id} />
                      </td>
                    </tr>
                  ))}
                </DataTable>
              </section>
            )}
          </div>
        )}
      </Found>
      {isInviting && (
        <Invite
          onClose={() => setInviting(false)}
          onLink={made => {
            setInviting(false)
            setLink(made)
          }}
        />
      )}
      {link && (
        <Sheet title="One-time link" onClose={() => setLink(undefined)} isSticky>
          <Notice look="warn">
            Pass it on yourself: nothing is mailed. It works once, until {exactly(link.expires_at)}, and is
            shown only now.
          </Notice>
          {isHere(link.url) && (
            <Notice look="warn">
              This address works on the gateway’s own machine only. Set PUBLIC_URL to one that others reach.
            </Notice>
          )}
          <Secret text={link.url} label="Copy the link" />
        </Sheet>
      )}
    </Page>
  )
}

const isHere = (url: string) => /^(localhost|127\.|\[::1\])/.test(new URL(url).hostname)

function MemberRow({ member, onLink }: { member: Member; onLink: (link: Link) => void }) {
  const { user } = useSignedIn()
  const [act, isBusy] = useAct()
  const [doing, setDoing] = useState<'role' | 'remove'>()
  const mayTouch = user.role === 'owner' || member.role !== 'owner'
  const items: MenuItem[] = mayTouch
    ? [
        { label: 'Change the role…', onChoose: () => setDoing('role') },
        {
          label: 'Link for a new password',
          onChoose: () =>
            void act(async () => onLink((await session.resetPassword(member.id)).data), { stale }),
        },
        { label: 'Remove…', isDanger: true, onChoose: () => setDoing('remove') },
      ]
    : []
  return (
    <tr>
      <td>
        <strong>{visible(member.email)}</strong>
        {member.id === user.id && <span className="muted"> you</span>}
      </td>
      <td>{roles.find(({ value }) => value === member.role)?.label}</td>
      <td className="muted" data-label="Two-factor">
        {member.two_factor ? 'on' : 'off'}
      </td>
      <td className="muted" data-label="Since">
        <Time at={member.created_at} />
      </td>
      <td className="acts">
        <Menu label={`What to do with ${member.email}`} items={items} />
        {doing === 'role' && <ChangeRole member={member} onClose={() => setDoing(undefined)} />}
        {doing === 'remove' && (
          <Confirm
            title={`Remove ${visible(member.email)}?`}
            deed="Remove them"
            isBusy={isBusy}
            onClose={() => setDoing(undefined)}
            onConfirm={async () => {
              if (await act(() => session.removeMember(member.id), { done: 'Removed.', stale }))
                setDoing(undefined)
            }}
          >
            <p>
              They are signed out at once. What they did stays in the audit log; API keys that they made go
              on.
            </p>
          </Confirm>
        )}
      </td>
    </tr>
  )
}

function ChangeRole({ member, onClose }: { member: Member; onClose: () => void }) {
  const { user } = useSignedIn()
  const [act, isBusy] = useAct()
  const [role, setRole] = useState<Role>(member.role)
  return (
    <Sheet title={visible(member.email)} onClose={onClose}>
      <SelectField
        label="Role"
        value={role}
        onChange={setRole}
        options={options.filter(({ value }) => value !== 'owner' || user.role === 'owner')}
        help="Changing the role ends their sessions."
      />
      <div className="foot-actions">
        <Button onClick={onClose}>Cancel</Button>
        <Button
          look="primary"
          isBusy={isBusy}
          onClick={async () => {
            if (await act(() => session.changeRole(member.id, { role }), { done: 'Changed.', stale }))
              onClose()
          }}
        >
          Change it
        </Button>
      </div>
    </Sheet>
  )
}

function Uninvite({ id }: { id: string }) {
  const [act, isBusy] = useAct()
  return (
    <Button
      isSmall
      isBusy={isBusy}
      onClick={() => act(() => session.uninvite(id), { done: 'Invitation withdrawn.', stale })}
    >
      Take back
    </Button>
  )
}

function Invite({ onClose, onLink }: { onClose: () => void; onLink: (link: Link) => void }) {
  const { user } = useSignedIn()
  const [act, isBusy, wrong] = useAct('/email')
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('operator')
  return (
    <Sheet title="Invite somebody" onClose={onClose}>
      <form
        className="stack"
        onSubmit={event => {
          event.preventDefault()
          void act(async () => onLink((await session.invite({ email, role })).data), { stale })
        }}
      >
        <TextField
          label="E-mail"
          type="email"
          value={email}
          onChange={setEmail}
          wrong={wrong('/email')}
          required
          autoFocus
        />
        <SelectField
          label="Role"
          value={role}
          onChange={setRole}
          options={options.filter(({ value }) => value !== 'owner' || user.role === 'owner')}
        />
        <div className="foot-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" isBusy={isBusy}>
            Create link
          </Button>
        </div>
      </form>
    </Sheet>
  )
}
