/** The first minutes: an owner, a first message seen on its way, and a key to go on with. */

import { useState } from 'react'
import { useLocation } from 'wouter'
import type { SessionResponse } from '../../../../sdk/src/index.ts'
import { ButtonLink } from '../../parts/button.tsx'
import { EmailField, EntryForm, NewPasswordField } from '../../parts/entry.tsx'
import { Trouble } from '../../parts/page.tsx'
import { session as sessions, useEntered, useLink } from '../../session.ts'
import { Alone } from './alone.tsx'
import { FirstMessage } from './first-message.tsx'

export default function Setup({ session }: { session: SessionResponse['data'] }) {
  const [token] = useState(() => location.hash.slice(1))
  const [, go] = useLocation()
  if (session.user)
    return (
      <Alone title="Your first message" isRoomy>
        <FirstMessage
          publicUrl={session.public_url ?? location.origin}
          onDone={() => go('/staging', { replace: true })}
        />
      </Alone>
    )
  return <Owner token={token} isInsecure={session.insecure} isSetUp={session.set_up} />
}

type OwnerProps = { token: string; isInsecure: boolean; isSetUp: boolean }

function Owner({ token, isInsecure, isSetUp }: OwnerProps) {
  const entered = useEntered()
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const link = useLink(token)
  if (link.error)
    return (
      <Alone title="This link does not work">
        <Trouble error={link.error} />
        {isSetUp ? (
          <>
            <p className="muted">The gateway is set up already.</p>
            <div className="row">
              <ButtonLink to="/" look="primary">
                Sign in
              </ButtonLink>
            </div>
          </>
        ) : (
          <p className="muted">
            Each start of the gateway prints a new one until it is set up, and so does{' '}
            <code>npx basestation setup-link</code>.
          </p>
        )}
      </Alone>
    )
  const submit = async () => {
    await sessions.redeemLink({ token, email, password })
    await entered()
  }
  return (
    <Alone title="Set up your gateway" isInsecure={isInsecure}>
      <p className="muted">
        You will be its owner. Others are invited later. Nothing leaves this machine: the address is only your
        name here.
      </p>
      <EntryForm deed="Create the owner" onSubmit={submit}>
        <EmailField value={email} onChange={setEmail} autoFocus />
        <NewPasswordField value={password} onChange={setPassword} />
      </EntryForm>
    </Alone>
  )
}
