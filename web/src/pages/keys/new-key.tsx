/** A new API key: presets first, everything else behind them. */

import { useState } from 'react'
import type { ApiKeyWithSecret, KeyAddRequest } from '../../../../sdk/src/index.ts'
import { useAct } from '../../act.ts'
import { useApi } from '../../environment.ts'
import { Button } from '../../parts/button.tsx'
import { Check, SelectField, TextField } from '../../parts/field.tsx'
import { Sheet } from '../../parts/sheet.tsx'
import { type Scope, useSignedIn } from '../../session.ts'

const presets = {
  'Send and read': ['messages:send', 'messages:read', 'inbox:read'],
  'Send only': ['messages:send'],
  'Read only': ['messages:read', 'inbox:read', 'devices:read', 'events:read', 'stats:read'],
} as const satisfies Record<string, readonly Scope[]>
type Preset = keyof typeof presets | 'Everything' | 'Chosen one by one'

const same = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every(scope => b.includes(scope))

/** What to call a set of scopes. */
export function presetOf(scopes: readonly string[]): string {
  const named = Object.entries(presets).find(([, list]) => same(list, scopes))
  if (named) return named[0]
  return scopes.length >= 11 ? 'Everything' : `${scopes.length} scopes`
}

export const scopeWords: Record<Scope, string> = {
  'messages:send': 'send, cancel',
  'messages:read': 'look messages up',
  'inbox:read': 'read received messages',
  'devices:read': 'see devices',
  'devices:manage': 'add, change, remove devices',
  'webhooks:manage': 'look after webhooks',
  'events:read': 'follow events live',
  'people:manage': 'opt-outs, forget people',
  'stats:read': 'see statistics',
  'settings:manage': 'change settings',
  'keys:manage': 'make and revoke keys',
}

const lifetimes = [
  { value: '', label: 'Never' },
  { value: '1', label: 'In a day' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
]
const dayMs = 24 * 3_600_000

type Props = { onClose: () => void; onMade: (made: ApiKeyWithSecret) => void }

export function NewKey({ onClose, onMade }: Props) {
  const api = useApi()
  const { scopes: own } = useSignedIn()
  const [act, isBusy, wrong] = useAct('/name', '/rate_limit', '/allowed_ips', '/expires_at')
  const [name, setName] = useState('')
  const [preset, setPreset] = useState<Preset>('Send and read')
  const [chosen, setChosen] = useState<readonly Scope[]>(presets['Send and read'])
  const [days, setDays] = useState('')
  const [ips, setIps] = useState('')
  const [rate, setRate] = useState('')
  const scopes: readonly Scope[] =
    preset === 'Everything' ? own : preset === 'Chosen one by one' ? chosen : presets[preset]
  const make = async (event: React.SubmitEvent) => {
    event.preventDefault()
    const request: KeyAddRequest = {
      name,
      scopes: [...scopes],
      ...(days !== '' && { expires_at: new Date(Date.now() + Number(days) * dayMs).toISOString() }),
      ...(rate !== '' && { rate_limit: Number(rate) }),
      allowed_ips: ips.split(/[\s,]+/).filter(Boolean),
    }
    await act(async () => onMade((await api.addKey(request)).data))
  }
  return (
    <Sheet title="New API key" onClose={onClose}>
      <form className="stack" onSubmit={make}>
        <TextField
          label="What is it for?"
          value={name}
          onChange={setName}
          placeholder="Web shop"
          wrong={wrong('/name')}
          required
          autoFocus
        />
        <SelectField
          label="Permissions"
          value={preset}
          onChange={setPreset}
          options={[...Object.keys(presets), 'Everything', 'Chosen one by one'].map(value => ({
            value: value as Preset,
            label: value,
          }))}
          help={
            preset === 'Chosen one by one' ? undefined : scopes.map(scope => scopeWords[scope]).join(' · ')
          }
        />
        {preset === 'Chosen one by one' && (
          <fieldset className="scopes" aria-label="Scopes">
            {own.map(scope => (
              <Check
                key={scope}
                checked={chosen.includes(scope)}
                onChange={on => setChosen(on ? [...chosen, scope] : chosen.filter(one => one !== scope))}
              >
                <code>{scope}</code>
                <div className="muted small">{scopeWords[scope]}</div>
              </Check>
            ))}
          </fieldset>
        )}
        <div className="pair">
          <SelectField label="Expires" value={days} onChange={setDays} options={lifetimes} />
          <TextField
            label="Requests a minute"
            type="number"
            min={1}
            value={rate}
            onChange={setRate}
            placeholder="Default (100)"
            wrong={wrong('/rate_limit')}
          />
        </div>
        <TextField
          label="Only from these addresses (optional)"
          value={ips}
          onChange={setIps}
          placeholder="203.0.113.7, 10.0.0.0/8"
          wrong={wrong('/allowed_ips')}
        />
        <div className="foot-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" isBusy={isBusy} disabled={scopes.length === 0}>
            Create key
          </Button>
        </div>
      </form>
    </Sheet>
  )
}
