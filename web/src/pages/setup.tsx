/** The first minutes: an owner, a first message seen on its way, and a key to go on with. */

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { SessionResponse } from '../../../sdk/src/index.ts'
import { Button } from '../parts/button.tsx'
import { TextField } from '../parts/field.tsx'
import { Trouble } from '../parts/page.tsx'
import { session as sessions, useForgetEverything } from '../session.ts'
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
  return <Owner token={token} isInsecure={session.insecure} />
}

function Owner({ token, isInsecure }: { token: string; isInsecure: boolean }) {
  const forget = useForgetEverything()
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const link = useQuery({
    queryKey: ['link', token],
    queryFn: async () => (await sessions.lookAtLink(token)).data,
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (link.error)
    return (
      <Alone title="This link does not work">
        <Trouble error={link.error} />
        <p className="muted">
          Each start of the gateway prints a new one until it is set up, and so does{' '}
          <code>npx basestation setup-link</code>.
        </p>
      </Alone>
    )
  const submit = async (event: React.SubmitEvent) => {
    event.preventDefault()
    setBusy(true)
    setError(undefined)
    try {
      await sessions.redeemLink({ token, email, password })
      await forget()
    } catch (problem) {
      setError(problem)
      setBusy(false)
    }
  }
  return (
    <Alone title="Set up your gateway" isInsecure={isInsecure}>
      <form className="stack" onSubmit={submit}>
        <p className="muted">
          You will be its owner. Others are invited later. Nothing leaves this machine: the address is only
          your name here.
        </p>
        <TextField
          label="E-mail"
          type="email"
          value={email}
          onChange={setEmail}
          autoComplete="username"
          required
          autoFocus
        />
        <TextField
          label="Password"
          type="password"
          value={password}
          onChange={setPassword}
          autoComplete="new-password"
          help="At least 12 characters. A few words that belong together only for you are best."
          required
        />
        {error !== undefined && <Trouble error={error} />}
        <Button type="submit" look="primary" isBusy={isBusy}>
          Create the owner
        </Button>
      </form>
    </Alone>
  )
}
