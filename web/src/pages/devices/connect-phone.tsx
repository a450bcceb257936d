/** Connecting an Android phone: what to do on it, with copy buttons, and whether it worked. */

import { useEffect, useRef, useState } from 'react'
import type { AddedDevice } from '../../../../sdk/src/index.ts'
import { type DeviceKind, useDevices } from '../../devices.ts'
import { useApi } from '../../environment.ts'
import { Button, ButtonLink } from '../../parts/button.tsx'
import { CopyButton, Secret } from '../../parts/copy.tsx'
import { Check } from '../../parts/field.tsx'
import { Notice, Trouble } from '../../parts/page.tsx'

/** Somebody stands there with the phone in hand. */
const watchMs = 1_000

type Props =
  | { kind: DeviceKind['kind']; name: string; phone: string; onBack: () => void }
  | { deviceId: string; registeredAt: string | null }

export function ConnectPhone(props: Props) {
  const api = useApi()
  const [added, setAdded] = useState<AddedDevice>()
  const [error, setError] = useState<unknown>()
  const isBegun = useRef(false)
  const [isAsked, setAsked] = useState(!('deviceId' in props))
  const [before] = useState('deviceId' in props ? props.registeredAt : null)
  useEffect(() => {
    // Effects run twice while developing; a device must not.
    if (!isAsked || isBegun.current) return
    isBegun.current = true
    const request =
      'deviceId' in props
        ? api.enrolDevice(props.deviceId)
        : api.addDevice({
            kind: props.kind,
            name: props.name,
            ...(props.phone !== '' && { phone: props.phone }),
          })
    request.then(({ data }) => setAdded(data), setError)
  }, [api, props, isAsked])
  if (error !== undefined)
    return (
      <div className="stack compose">
        <Trouble error={error} />
        {'onBack' in props && (
          <div className="row">
            <Button onClick={props.onBack}>Back</Button>
          </div>
        )}
      </div>
    )
  if (!isAsked)
    return (
      <div className="card stack compose">
        <p>
          Connecting a phone needs a new token. The previous token stops working, but a connected phone stays
          connected until the new one registers.
        </p>
        <div className="row">
          <Button look="primary" onClick={() => setAsked(true)}>
            Create a new token
          </Button>
          <ButtonLink to="/devices" look="quiet">
            Back
          </ButtonLink>
        </div>
      </div>
    )
  return added?.enrolment ? <Steps added={added} enrolment={added.enrolment} before={before} /> : null
}

function Steps({
  added,
  enrolment,
  before,
}: {
  added: AddedDevice
  enrolment: NonNullable<AddedDevice['enrolment']>
  before: string | null
}) {
  const { data: devices = [] } = useDevices(watchMs)
  const device = devices.find(({ id }) => id === added.id)
  const { registered_at, signs = [] } = device?.connection ?? {}
  // What is seen of the phone that was connected before says nothing about this one.
  const seen = registered_at !== before ? signs : []
  const isOnline = seen.includes('online')
  const attention = device?.attention.filter(({ code }) => code !== 'not_connected') ?? []
  return (
    <div className="stack wide">
      {enrolment.warning && <Notice look="warn">{enrolment.warning}</Notice>}
      <div className="pair">
        <div className="card stack wide">
          <ol className="steps">
            {enrolment.steps.map((text, index) => (
              <Step
                key={text}
                text={text}
                sign={enrolment.shown_by[index] ?? null}
                seen={seen}
                of={enrolment}
              />
            ))}
          </ol>
        </div>
        <div className="card stack" aria-live="polite">
          <h2>Live</h2>
          <ol className="steps">
            {lights.map(({ sign, yet, done }) => (
              <li key={sign} className={seen.includes(sign) ? 'done' : undefined}>
                {seen.includes(sign) ? done : yet}
              </li>
            ))}
          </ol>
          {isOnline &&
            attention.map(({ code, detail }) => (
              <Notice key={code} look="warn">
                {detail}
              </Notice>
            ))}
          <p className="muted small">The token is shown only now:</p>
          <Secret text={enrolment.token} />
          <div className="row">
            {isOnline && (
              <ButtonLink to={`/messages/new?device=${added.id}`} look="primary">
                Send a test message
              </ButtonLink>
            )}
            <ButtonLink to="/devices">{isOnline ? 'All devices' : 'Later'}</ButtonLink>
          </div>
        </div>
      </div>
    </div>
  )
}

type Sign = NonNullable<NonNullable<AddedDevice['enrolment']>['shown_by'][number]>

const lights: readonly { sign: Sign; yet: string; done: string }[] = [
  {
    sign: 'registered',
    yet: 'Waiting for the phone to register…',
    done: 'The phone has registered.',
  },
  { sign: 'online', yet: 'Waiting for it to come online…', done: 'The phone is online.' },
  { sign: 'event_stream', yet: 'Waiting for its event stream…', done: 'Event stream open.' },
  { sign: 'settings', yet: 'Waiting for it to fetch its settings…', done: 'Settings fetched.' },
]

/** Ticked as soon as it shows, or by whoever does it where nothing shows. */
function Step({
  text,
  sign,
  seen,
  of: { url, token, code },
}: {
  text: string
  sign: Sign | null
  seen: readonly Sign[]
  of: NonNullable<AddedDevice['enrolment']>
}) {
  const [isSaid, setSaid] = useState(false)
  const isDone = sign === null ? isSaid : seen.includes(sign)
  return (
    <li className={isDone ? 'done' : undefined}>
      <div className="stack tight">
        <span className="pre">
          {text}
          {isDone && <span className="hidden-visually"> (done)</span>}
        </span>
        {[url, token, ...(code ? [code] : [])]
          .filter(secret => text.includes(secret))
          .map(secret => (
            <div key={secret}>
              <CopyButton text={secret} />
            </div>
          ))}
        {sign === null && (
          <Check checked={isSaid} onChange={setSaid}>
            Done
          </Check>
        )}
      </div>
    </li>
  )
}
