/** What people did, newest first. */

import { useInfiniteQuery } from '@tanstack/react-query'
import type { AuditEntry } from '../../../sdk/src/index.ts'
import { DataTable } from '../parts/data-table.tsx'
import { More } from '../parts/more.tsx'
import { Empty, Found, Page } from '../parts/page.tsx'
import { visible } from '../parts/person.tsx'
import { count, Time } from '../parts/show.tsx'
import { session } from '../session.ts'

/** Operations in words. One that is not here is shown by its own name. */
const words: Record<string, string> = {
  useLink: 'used a one-time link',
  login: 'signed in',
  logout: 'signed out',
  changePassword: 'changed their password',
  confirmTwoFactor: 'turned two-factor authentication on',
  confirmPassword: 'confirmed their password',
  removeTwoFactor: 'turned two-factor authentication off',
  endBrowserSession: 'ended a session',
  invite: 'invited somebody',
  uninvite: 'took an invitation back',
  changeRole: 'changed a role',
  removeMember: 'removed somebody from the team',
  resetPassword: 'made a link for a new password',
  send: 'sent a message',
  sendBulk: 'sent to many',
  cancel: 'canceled a message',
  addDevice: 'added a device',
  changeDevice: 'changed a device',
  removeDevice: 'removed a device',
  enrolDevice: 'made a token for a phone',
  linkNumber: 'began to link a WhatsApp number',
  linkDevice: 'began to link a WhatsApp number again',
  addKey: 'made an API key',
  rotateKey: 'rotated an API key',
  revokeKey: 'revoked an API key',
  addWebhook: 'added a webhook',
  changeWebhook: 'changed a webhook',
  removeWebhook: 'removed a webhook',
  rotateWebhook: 'made a new webhook secret',
  testWebhook: 'tested a webhook',
  replay: 'replayed to a webhook',
  redeliver: 'redelivered an event to a webhook',
  optOut: 'opted a number out',
  optIn: 'took a number off the opt-outs',
  erase: 'erased personal data',
  configure: 'changed settings',
  drainNode: 'drained a node',
}

/** What a change of a device comes to, where that is one thing. */
const switches: Record<string, string> = {
  'paused=true': 'paused a device',
  'paused=false': 'resumed a device',
  'draining=true': 'began to drain a device',
  'draining=false': 'stopped draining a device',
  'enabled=true': 'switched a webhook on',
  'enabled=false': 'switched a webhook off',
}

type Entry = AuditEntry
/** Entries that are one deed, such as a list that was sent in many requests. */
type Deed = Entry & { times: number }

const wordsOf = ({ action, fields }: Entry): string =>
  (fields.length === 1 ? switches[fields[0]!] : undefined) ?? words[action] ?? action

const isSameDeed = (a: Entry, b: Entry) =>
  ['send', 'sendBulk'].includes(a.action) &&
  a.action === b.action &&
  a.email === b.email &&
  a.environment === b.environment &&
  a.refusal === b.refusal &&
  a.address === b.address

function deedsOf(entries: readonly Entry[]): Deed[] {
  const deeds: Deed[] = []
  for (const entry of entries) {
    const last = deeds.at(-1)
    if (last && isSameDeed(last, entry)) last.times += 1
    else deeds.push({ ...entry, times: 1 })
  }
  return deeds
}

export default function Audit() {
  const query = useInfiniteQuery({
    queryKey: ['audit'],
    queryFn: ({ pageParam }) => session.audit(pageParam === '' ? {} : { before: pageParam }),
    initialPageParam: '',
    getNextPageParam: page => (page.has_more ? page.data.at(-1)?.id : undefined),
  })
  return (
    <Page
      title="Audit log"
      about="What people did, what API keys changed, and what was refused. It holds no texts or numbers."
    >
      <Found query={query}>
        {({ pages }) => {
          const all = pages.flatMap(page => page.data)
          return (
            <div className="card flush">
              {all.length === 0 && <Empty title="Nothing yet" />}
              <DataTable heads={['When', 'Who', 'What', 'Where', 'With', 'From']}>
                {deedsOf(all).map(entry => (
                  <tr key={entry.id}>
                    <td className="muted">
                      <Time at={entry.at} />
                    </td>
                    <td>{visible(entry.email)}</td>
                    <td>
                      {entry.refusal && <span className="badge bad">refused</span>} {wordsOf(entry)}
                      {entry.times > 1 && <span className="muted"> × {count(entry.times)}</span>}
                      {entry.refusal && <code className="muted small"> {entry.refusal}</code>}
                    </td>
                    <td className="muted">{entry.environment ?? ''}</td>
                    <td className="small text" title={entry.target}>
                      {entry.fields.join(', ')} <code className="muted">{entry.target}</code>
                    </td>
                    <td className="muted small">{entry.address}</td>
                  </tr>
                ))}
              </DataTable>
              <More query={query} />
            </div>
          )
        }}
      </Found>
    </Page>
  )
}
