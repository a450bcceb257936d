/** API keys: who may do what, shown once, rotated without a gap. */

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ApiKey, ApiKeyWithSecret } from '../../../../sdk/src/index.ts'
import { useAct } from '../../act.ts'
import { baseOf, useApi, useEnvironment } from '../../environment.ts'
import { Button } from '../../parts/button.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { Secret, Snippet } from '../../parts/copy.tsx'
import { actions, DataTable } from '../../parts/data-table.tsx'
import { SelectField } from '../../parts/field.tsx'
import { Menu } from '../../parts/menu.tsx'
import { Empty, Found, Notice, Page } from '../../parts/page.tsx'
import { visible } from '../../parts/person.tsx'
import { Sheet } from '../../parts/sheet.tsx'
import { count, Time } from '../../parts/show.tsx'
import { useSignedIn } from '../../session.ts'
import { NewKey, presetOf } from './new-key.tsx'

export default function Keys() {
  const api = useApi()
  const environment = useEnvironment()
  const [isAdding, setAdding] = useState(false)
  const [secret, setSecret] = useState<ApiKeyWithSecret>()
  const [showsOld, setShowsOld] = useState(false)
  const query = useQuery({ queryKey: [environment, 'keys'], queryFn: async () => (await api.keys()).data })
  const add = (
    <Button look="primary" icon="plus" onClick={() => setAdding(true)}>
      New key
    </Button>
  )
  return (
    <Page
      title="API keys"
      about="Give each program its own key, with only the permissions it needs."
      actions={add}
    >
      <Found query={query}>
        {keys => {
          const usable = keys.filter(key => !isOver(key))
          const shown = showsOld ? keys : usable
          return (
            <div className="card flush">
              {shown.length === 0 ? (
                <Empty title="No key yet">
                  <p>Programs send messages with an API key. It is shown once, when it is made.</p>
                  {add}
                </Empty>
              ) : (
                <Table keys={shown} onSecret={setSecret} />
              )}
              {keys.length > usable.length && (
                <div className="row list-foot">
                  <Button isSmall look="quiet" onClick={() => setShowsOld(!showsOld)}>
                    {showsOld
                      ? 'Hide expired and revoked'
                      : `Show ${count(keys.length - usable.length)} that ended`}
                  </Button>
                </div>
              )}
            </div>
          )
        }}
      </Found>
      {isAdding && (
        <NewKey
          onClose={() => setAdding(false)}
          onMade={made => {
            setAdding(false)
            setSecret(made)
          }}
        />
      )}
      {secret && <ShownOnce secret={secret} onClose={() => setSecret(undefined)} />}
    </Page>
  )
}

const isOver = ({ revoked_at: revoked, expires_at: expires }: ApiKey) =>
  revoked !== null || (expires !== null && Date.parse(expires) <= Date.now())

function ShownOnce({ secret, onClose }: { secret: ApiKeyWithSecret; onClose: () => void }) {
  const { public_url: url } = useSignedIn()
  const environment = useEnvironment()
  return (
    <Sheet title={`The key “${visible(secret.name)}”`} onClose={onClose} isRoomy isSticky>
      <Notice look="warn">This is the only time it is shown. Keep it where you keep passwords.</Notice>
      <Secret text={secret.key} label="Copy the key" />
      {secret.scopes.includes('messages:send') && (
        <>
          <p>A first message with it:</p>
          <Snippet
            text={`curl ${baseOf(url, environment)}/sms/send \\\n  -H 'Authorization: Bearer ${secret.key}' \\\n  -H 'Content-Type: application/json' \\\n  -d '{"to": "+15550101234", "message": "Hello"}'`}
          />
        </>
      )}
      <div className="foot-actions">
        <Button look="primary" onClick={onClose}>
          I have kept it
        </Button>
      </div>
    </Sheet>
  )
}

const Table = ({
  keys,
  onSecret,
}: {
  keys: readonly ApiKey[]
  onSecret: (secret: ApiKeyWithSecret) => void
}) => (
  <DataTable heads={['Name', 'Key', 'May', 'Limits', 'Last used', 'Ends', actions]}>
    {keys.map(key => (
      <Row key={key.id} item={key} onSecret={onSecret} />
    ))}
  </DataTable>
)

function Row({ item: key, onSecret }: { item: ApiKey; onSecret: (secret: ApiKeyWithSecret) => void }) {
  const [doing, setDoing] = useState<'rotate' | 'revoke'>()
  return (
    <tr>
      <td>
        <strong>{visible(key.name)}</strong>
        <div className="muted small">by {visible(key.created_by)}</div>
      </td>
      <td>
        <code className="nowrap">{key.hint}</code>
      </td>
      <td title={key.scopes.join(', ')} data-label="May">
        {presetOf(key.scopes)}
      </td>
      <td className="small" data-label="Limits">
        {key.rate_limit === null ? 'usual rate' : `${count(key.rate_limit)} a minute`}
        {key.allowed_ips.length > 0 && <div className="muted">{key.allowed_ips.join(', ')}</div>}
      </td>
      <td className="muted" data-label="Last used">
        <Time at={key.last_used_at} />
      </td>
      <td className="muted" data-label="Ends">
        {key.revoked_at ? (
          <span className="badge bad">revoked</span>
        ) : key.expires_at ? (
          <Time at={key.expires_at} />
        ) : (
          'never'
        )}
      </td>
      <td className="acts">
        {!isOver(key) && (
          <Menu
            label={`What to do with ${key.name}`}
            items={[
              { label: 'Rotate…', onChoose: () => setDoing('rotate') },
              { label: 'Revoke…', isDanger: true, onChoose: () => setDoing('revoke') },
            ]}
          />
        )}
        {doing === 'rotate' && <Rotate item={key} onSecret={onSecret} onClose={() => setDoing(undefined)} />}
        {doing === 'revoke' && <Revoke item={key} onClose={() => setDoing(undefined)} />}
      </td>
    </tr>
  )
}

const overlaps = [
  { value: '0', label: 'not at all' },
  { value: '1', label: 'for an hour' },
  { value: '24', label: 'for a day' },
  { value: '168', label: 'for a week' },
  { value: '720', label: 'for 30 days' },
]

function Rotate({
  item: key,
  onSecret,
  onClose,
}: {
  item: ApiKey
  onSecret: (secret: ApiKeyWithSecret) => void
  onClose: () => void
}) {
  const api = useApi()
  const [act, isBusy] = useAct()
  const [hours, setHours] = useState('24')
  const rotate = () =>
    act(async () => {
      const { data } = await api.rotateKey(key.id, { overlap_hours: Number(hours) })
      onClose()
      onSecret(data)
    })
  return (
    <Sheet title={`Rotate “${visible(key.name)}”`} onClose={onClose}>
      <p>A new key with the same rights is made. Put it in place while both work.</p>
      <SelectField label="Keep the old key for" value={hours} onChange={setHours} options={overlaps} />
      <div className="foot-actions">
        <Button onClick={onClose}>Keep it as it is</Button>
        <Button look="primary" isBusy={isBusy} onClick={rotate}>
          Create the new key
        </Button>
      </div>
    </Sheet>
  )
}

function Revoke({ item: key, onClose }: { item: ApiKey; onClose: () => void }) {
  const api = useApi()
  const [act, isBusy] = useAct()
  return (
    <Confirm
      title={`Revoke “${visible(key.name)}”?`}
      deed="Revoke it"
      isBusy={isBusy}
      onClose={onClose}
      onConfirm={async () => {
        if (await act(() => api.revokeKey(key.id), { done: 'Revoked.' })) onClose()
      }}
    >
      <p>
        Whatever uses <code>{key.hint}</code> is refused within a second. This cannot be taken back.
      </p>
      <p className="muted">
        It was last used: <Time at={key.last_used_at} />
      </p>
    </Confirm>
  )
}
