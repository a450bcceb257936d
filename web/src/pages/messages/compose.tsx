/** One message to one person, judged while it is written. */

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation, useSearchParams } from 'wouter'
import type { SendRequest } from '../../../../sdk/src/index.ts'
import { useAct } from '../../act.ts'
import { useDevices } from '../../devices.ts'
import { useDraft } from '../../draft.ts'
import { useApi, useEnvironment } from '../../environment.ts'
import { Button } from '../../parts/button.tsx'
import { AreaField, TextField } from '../../parts/field.tsx'
import { Notice, Page } from '../../parts/page.tsx'
import { useSettled } from '../../settled.ts'
import { DeviceChoice, mayTakeMedia, SendTime, sendAtOf } from './send-options.tsx'
import { Judgement } from './text-length.tsx'

export default function Compose() {
  const [search] = useSearchParams()
  const environment = useEnvironment()
  const [to, setTo, forgetTo] = useDraft('to', search.get('to') ?? '')
  const [text, setText, forgetText] = useDraft('text', search.get('text') ?? '')
  const [device, setDevice] = useState(search.get('device') ?? '')
  const [media, setMedia] = useState(search.get('media') ?? '')
  const [when, setWhen] = useState('')
  const api = useApi()
  const [, go] = useLocation()
  const [act, isBusy] = useAct()
  const { data: devices = [] } = useDevices()
  const canTakeMedia = mayTakeMedia(devices, device)
  const sendAt = sendAtOf(when)
  const request: SendRequest = {
    to: to.trim(),
    message: text,
    ...(device !== '' && { device_id: device }),
    ...(media.trim() !== '' && canTakeMedia && { media_url: media.trim() }),
    ...(sendAt !== undefined && { send_at: sendAt }),
  }
  const judged = useSettled(request)
  const isWorthAsking = judged.message.trim() !== '' && judged.to !== ''
  const preview = useQuery({
    queryKey: [environment, 'preview', judged],
    queryFn: async () => (await api.preview(judged)).data,
    enabled: isWorthAsking,
    placeholderData: before => before,
    gcTime: 60_000,
  })
  const verdict = isWorthAsking ? preview.data : undefined
  const wrongNumber = verdict?.rejected[0]?.detail
  const send = async (event: React.SubmitEvent) => {
    event.preventDefault()
    let sent = ''
    const isSent = await act(
      async () => {
        sent = (await api.send(request)).message_id
      },
      { done: sendAt === undefined ? 'Accepted and stored.' : 'Scheduled.' },
    )
    if (!isSent) return
    forgetTo()
    forgetText()
    go(`/messages/${sent}`)
  }
  return (
    <Page title="New message">
      <form className="card stack wide compose" onSubmit={send}>
        <TextField
          label="To"
          type="tel"
          value={to}
          onChange={setTo}
          placeholder="+14155550123"
          help="In international format, with the country’s code."
          wrong={wrongNumber}
          required
          autoFocus={to === ''}
        />
        <div className="stack tight">
          <AreaField label="Message" value={text} onChange={setText} rows={5} />
          <Judgement text={text} verdict={verdict} />
        </div>
        <div className="pair">
          <DeviceChoice value={device} onChange={setDevice} />
          <SendTime value={when} onChange={setWhen} />
        </div>
        {canTakeMedia && (
          <TextField
            label="File to attach (optional)"
            type="url"
            value={media}
            onChange={setMedia}
            placeholder="https://…"
            help="Its address. Only WhatsApp numbers carry files: pictures, PDF, documents, sound and film."
          />
        )}
        {verdict?.problem && <Notice look="bad">{verdict.problem.detail}</Notice>}
        {verdict?.device && !verdict.problem && wrongNumber === undefined && device === '' && (
          <p className="muted small">{verdict.device.name} will send it.</p>
        )}
        <div className="row">
          <Button
            type="submit"
            look="primary"
            isBusy={isBusy}
            disabled={text.trim() === '' || to.trim() === ''}
          >
            {sendAt === undefined ? 'Send' : 'Schedule'}
          </Button>
          <Button look="quiet" onClick={() => go('/messages')}>
            Back to messages
          </Button>
        </div>
      </form>
    </Page>
  )
}
