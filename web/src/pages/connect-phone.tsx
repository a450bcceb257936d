/** Connecting an Android phone: what to do on it, with copy buttons, and whether it worked. */

import { useEffect, useRef, useState } from 'react'
import type { DeviceAddResponse } from '../../../sdk/src/index.ts'
import { useDevices } from '../devices.ts'
import { useApi } from '../environment.ts'
import { Button, ButtonLink } from '../parts/button.tsx'
import { CopyButton, Secret } from '../parts/copy.tsx'
import { Notice, Trouble } from '../parts/page.tsx'

type Added = DeviceAddResponse['data']

type Props = { name: string; phone: string; onBack: () => void } | { deviceId: string }

export function ConnectPhone(props: Props) {
  const api = useApi()
  const [added, setAdded] = useState<Added>()
  const [error, setError] = useState<unknown>()
  const isBegun = useRef(false)
  const [isAsked, setAsked] = useState(!('deviceId' in props))
  useEffect(() => {
    // Effects run twice while developing; a device must not.
    if (!isAsked || isBegun.current) return
    isBegun.current = true
    const request =
      'deviceId' in props
        ? api.enrolDevice(props.deviceId)
        : api.addDevice({
            kind: 'android',
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
          A phone gets in with a fresh token. The one that was used before ends, and a phone that is connected
          stays so until the new one comes.
        </p>
        <div className="row">
          <Button look="primary" onClick={() => setAsked(true)}>
            Make a fresh token
          </Button>
          <ButtonLink to="/devices" look="quiet">
            Back
          </ButtonLink>
        </div>
      </div>
    )
  return added?.enrolment ? <Steps added={added} enrolment={added.enrolment} /> : null
}

function Steps({ added, enrolment }: { added: Added; enrolment: NonNullable<Added['enrolment']> }) {
  const { data: devices = [] } = useDevices()
  const device = devices.find(({ id }) => id === added.id)
  const hasRegistered = device !== undefined && !device.attention.some(({ code }) => code === 'not_connected')
  const isOnline = device?.status === 'online'
  const isWell = isOnline && device.attention.length === 0
  const toCopy = [enrolment.url, enrolment.token, ...(enrolment.code ? [enrolment.code] : [])]
  return (
    <div className="stack wide">
      {enrolment.warning && <Notice look="warn">{enrolment.warning}</Notice>}
      <div className="pair">
        <div className="card stack wide">
          <ol className="steps">
            {enrolment.steps.map(step => (
              <li key={step} className={hasRegistered ? 'done' : undefined}>
                <div className="stack tight">
                  <span className="pre">{step}</span>
                  {toCopy
                    .filter(text => step.includes(text))
                    .map(text => (
                      <div key={text}>
                        <CopyButton text={text} />
                      </div>
                    ))}
                </div>
              </li>
            ))}
          </ol>
        </div>
        <div className="card stack" aria-live="polite">
          <h2>Live</h2>
          <ol className="steps">
            <li className={hasRegistered ? 'done' : undefined}>
              {hasRegistered ? 'The phone has registered.' : 'Waiting for the phone to register…'}
            </li>
            <li className={isOnline ? 'done' : undefined}>
              {isOnline ? 'It is online.' : 'Then it comes online.'}
            </li>
            <li className={isWell ? 'done' : undefined}>
              {isWell ? 'All is well: it can send.' : 'Then everything is checked.'}
            </li>
          </ol>
          {device?.attention
            .filter(({ code }) => code !== 'not_connected')
            .map(({ code, detail }) => (
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
