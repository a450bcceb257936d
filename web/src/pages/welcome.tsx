/** Where links for invited people, and for lost passwords, lead. */

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { Button } from '../parts/button.tsx'
import { TextField } from '../parts/field.tsx'
import { Trouble } from '../parts/page.tsx'
import { session, useForgetEverything } from '../session.ts'
import { Alone } from './alone.tsx'

export default function Welcome() {
  const [token] = useState(() => location.hash.slice(1))
  const link = useQuery({
    queryKey: ['link', token],
    queryFn: async () => (await session.lookAtLink(token)).data,
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (link.error)
    return (
      <Alone title="This link does not work">
        <Trouble error={link.error} />
      </Alone>
    )
  if (!link.data) return null
  const isNew = link.data.kind === 'invitation'
  return (
    <Alone title={isNew ? 'Join the team' : 'Choose a new password'}>
      <p className="muted">
        {isNew ? `You will sign in as ${link.data.email}, with the role ${link.data.role}.` : link.data.email}
      </p>
      <ChoosePassword token={token} email={link.data.email ?? ''} />
    </Alone>
  )
}

function ChoosePassword({ token, email }: { token: string; email: string }) {
  const [, go] = useLocation()
  const forget = useForgetEverything()
  const [password, setPassword] = useState('')
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const submit = async (event: React.SubmitEvent) => {
    event.preventDefault()
    setBusy(true)
    setError(undefined)
    try {
      await session.redeemLink({ token, password })
      await forget()
      go('/', { replace: true })
    } catch (problem) {
      setError(problem)
      setBusy(false)
    }
  }
  return (
    <form className="stack" onSubmit={submit}>
      <input type="hidden" autoComplete="username" value={email} readOnly />
      <TextField
        label="Password"
        type="password"
        value={password}
        onChange={setPassword}
        autoComplete="new-password"
        help="At least 12 characters. A few words that belong together only for you are best."
        required
        autoFocus
      />
      {error !== undefined && <Trouble error={error} />}
      <Button type="submit" look="primary" isBusy={isBusy}>
        Sign in
      </Button>
    </form>
  )
}
