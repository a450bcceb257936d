/** A webhook's address and the events it receives: for a new one, and for one that is changed. */

import { useState } from 'react'
import type { Event, WebhookAddRequest } from '../../../../sdk/src/index.ts'
import type { Wrong } from '../../act.ts'
import { useDevices } from '../../devices.ts'
import { Button } from '../../parts/button.tsx'
import { Check, SelectField, TextField } from '../../parts/field.tsx'
import { visible } from '../../parts/person.tsx'
import { Sheet } from '../../parts/sheet.tsx'
import type { Webhook } from '../../webhooks.ts'

/** In the order of how often somebody wants it. */
const typeWords: Record<Event['type'], string> = {
  'message.received': 'Message received',
  'message.delivered': 'Message delivered',
  'message.failed': 'Message not delivered',
  'message.read': 'Message read',
  'message.sent': 'Message sent',
  'message.scheduled': 'Message scheduled',
  'message.queued': 'Message queued',
  'message.sending': 'Message handed to a device',
  'message.expired': 'Message expired',
  'message.canceled': 'Message canceled',
  'message.unknown': 'Message status unknown',
  'message.reaction': 'Reaction to a message',
  'received.edited': 'Received message edited',
  'received.deleted': 'Received message deleted',
  'received.reaction': 'Reaction to a received message',
  'device.online': 'Device online',
  'device.offline': 'Device offline',
  'device.attention': 'Device needs attention',
  'device.added': 'Device added',
  'device.changed': 'Device changed',
  'device.paused': 'Device paused',
  'device.resumed': 'Device resumed',
  'device.removed': 'Device removed',
  'webhook.disabled': 'Webhook disabled',
  'person.erased': 'Personal data erased',
}
const types = Object.keys(typeWords) as Event['type'][]
/** What most receivers want. */
const usualTypes: readonly Event['type'][] = ['message.received', 'message.delivered', 'message.failed']

/** What happened, in words. */
export const wordsOf = (type: Event['type']): string => typeWords[type]

type Props = {
  title: string
  deed: string
  /** As it is now. */
  webhook?: Webhook
  isBusy: boolean
  wrong: Wrong
  onClose: () => void
  onSubmit: (request: Required<WebhookAddRequest>) => void
}

export function WebhookForm({ title, deed, webhook, isBusy, wrong, onClose, onSubmit }: Props) {
  const { data: devices = [] } = useDevices()
  const [url, setUrl] = useState(webhook?.url ?? '')
  const [isAll, setAll] = useState(webhook?.types === null)
  const [chosen, setChosen] = useState<readonly Event['type'][]>(webhook?.types ?? usualTypes)
  const [device, setDevice] = useState(webhook?.device_id ?? '')
  const isGone = device !== '' && !devices.some(({ id }) => id === device)
  return (
    <Sheet title={title} onClose={onClose}>
      <form
        className="stack"
        onSubmit={event => {
          event.preventDefault()
          onSubmit({
            url,
            types: isAll ? null : types.filter(type => chosen.includes(type)),
            device_id: device === '' ? null : device,
          })
        }}
      >
        <TextField
          label="Address"
          type="url"
          value={url}
          onChange={setUrl}
          placeholder="https://shop.example/basestation"
          help="https, on the public internet. Private ones have to be allowed with WEBHOOK_ALLOW_HOSTS."
          required
          autoFocus
          wrong={wrong('/url')}
        />
        <Check checked={isAll} onChange={setAll}>
          Everything that happens
        </Check>
        {!isAll && (
          <fieldset className="scopes" aria-label="Events">
            {types.map(type => (
              <Check
                key={type}
                checked={chosen.includes(type)}
                onChange={on => setChosen(on ? [...chosen, type] : chosen.filter(one => one !== type))}
              >
                <code>{type}</code> <span className="muted small">{typeWords[type]}</span>
              </Check>
            ))}
          </fieldset>
        )}
        <SelectField
          label="Only of one device (optional)"
          value={device}
          onChange={setDevice}
          options={[
            { value: '', label: 'Every device' },
            ...devices.map(({ id, name }) => ({ value: id, label: visible(name) })),
            ...(isGone ? [{ value: device, label: 'a device that was removed' }] : []),
          ]}
        />
        <div className="foot-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" isBusy={isBusy} disabled={!isAll && chosen.length === 0}>
            {deed}
          </Button>
        </div>
      </form>
    </Sheet>
  )
}
