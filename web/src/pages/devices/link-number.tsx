/** Linking a WhatsApp number: a live code to scan, renewed until somebody does. */

import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { LinkStep } from '../../../../sdk/src/index.ts'
import { useApi, useEnvironment } from '../../environment.ts'
import { Button, ButtonLink } from '../../parts/button.tsx'
import { Secret } from '../../parts/copy.tsx'
import { Notice, Trouble } from '../../parts/page.tsx'
import { QrCode } from '../../parts/qr-code.tsx'

type Props = { name: string; phone?: string; deviceId?: string; onBack?: () => void }

type State = { qr?: LinkStep; code?: string; noCode?: string; end?: LinkStep; error?: unknown }

export function LinkNumber(props: Props) {
  const [attempt, setAttempt] = useState(1)
  return <Attempt key={attempt} {...props} onAgain={() => setAttempt(attempt + 1)} />
}

function Attempt({ name, phone = '', deviceId, onBack, onAgain }: Props & { onAgain: () => void }) {
  const api = useApi()
  const environment = useEnvironment()
  const client = useQueryClient()
  const [state, setState] = useState<State>({})
  const isEnded = useRef(false)
  useEffect(() => {
    // A page that was hidden and is shown again: what is linked is not linked once more.
    if (isEnded.current) return
    let isOver = false
    const steps =
      deviceId === undefined
        ? api.linkNumber({ name, ...(phone !== '' && { phone }) })
        : api.linkDevice(deviceId)
    const follow = async () => {
      try {
        for await (const step of steps) {
          if (isOver) break
          if (step.step === 'qr') setState(before => ({ ...before, qr: step }))
          if (step.step === 'code') setState(before => ({ ...before, code: step.code! }))
          if (step.step === 'code_refused') setState(before => ({ ...before, noCode: step.detail! }))
          if (step.step === 'linked' || step.step === 'failed') {
            isEnded.current = true
            setState({ end: step })
          }
          if (step.step === 'linked') await client.invalidateQueries({ queryKey: [environment, 'devices'] })
        }
      } catch (error) {
        if (!isOver) setState({ error })
      }
    }
    // In a turn of its own: effects run twice while developing, and each attempt opens a line to WhatsApp.
    const timer = setTimeout(() => void follow(), 0)
    return () => {
      isOver = true
      clearTimeout(timer)
      void steps.return(undefined)
    }
  }, [api, client, environment, name, phone, deviceId])
  if (state.error !== undefined)
    return (
      <div className="stack compose">
        <Trouble error={state.error} />
        <div className="row">
          {onBack ? <Button onClick={onBack}>Back</Button> : <ButtonLink to="/devices">Back</ButtonLink>}
        </div>
      </div>
    )
  if (state.end) return <End end={state.end} onAgain={onAgain} />
  return (
    <div className="card stack wide compose" aria-live="polite">
      <Notice look="warn">
        Automating a linked number is against WhatsApp’s terms of use, and the number may be blocked. Use one
        that you can do without, and let the gateway keep its careful pace.
      </Notice>
      <div className="pair">
        <div className="stack">
          {state.qr?.qr ? (
            <QrCode text={state.qr.qr} label="QR code to scan with WhatsApp" />
          ) : (
            <div className="qr bones" />
          )}
          {state.qr && <Countdown until={state.qr.expires_at!} />}
        </div>
        <ol className="steps">
          <li>On the phone, open WhatsApp.</li>
          <li>Tap ⋮ or Settings, then Linked devices, then Link a device.</li>
          <li>Point the camera at this code.</li>
        </ol>
      </div>
      {state.code && (
        <div className="stack tight">
          <p>Or choose “Link with phone number instead” there, and type:</p>
          <Secret text={`${state.code.slice(0, 4)}-${state.code.slice(4)}`} />
        </div>
      )}
      {state.noCode && <p className="muted">{state.noCode}</p>}
      <div className="row">
        <ButtonLink to="/devices" look="quiet">
          Cancel
        </ButtonLink>
      </div>
    </div>
  )
}

function Countdown({ until }: { until: string }) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  const seconds = Math.max(0, Math.ceil((Date.parse(until) - now) / 1_000))
  return <p className="muted small">{seconds > 0 ? `Renewed in ${seconds} s` : 'Being renewed…'}</p>
}

const End = ({ end, onAgain }: { end: LinkStep; onAgain: () => void }) =>
  end.step === 'linked' ? (
    <div className="card stack compose">
      <Notice look="good">
        {end.device?.name} is linked to {end.device?.phone}.
      </Notice>
      <div className="row">
        <ButtonLink to={`/messages/new?device=${end.device?.id}`} look="primary">
          Send a test message
        </ButtonLink>
        <ButtonLink to="/devices">All devices</ButtonLink>
      </div>
    </div>
  ) : (
    <div className="card stack compose">
      <Notice look="bad">{end.detail}</Notice>
      <div className="row">
        <Button look="primary" onClick={onAgain}>
          Try again
        </Button>
        <ButtonLink to="/devices" look="quiet">
          Back
        </ButtonLink>
      </div>
    </div>
  )
