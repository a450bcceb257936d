/** Where links for invited people, and for lost passwords, lead. */

import { useState } from 'react'
import { useLocation } from 'wouter'
import { EntryForm, NewPasswordField } from '../../parts/entry.tsx'
import { Trouble } from '../../parts/page.tsx'
import { session, useEntered, useLink } from '../../session.ts'
import { Alone } from './alone.tsx'

export default function Welcome() {
  const [token] = useState(() => location.hash.slice(1))
  const link = useLink(token)
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
  const entered = useEntered()
  const [password, setPassword] = useState('')
  const submit = async () => {
    await session.redeemLink({ token, password })
    await entered()
    go('/', { replace: true })
  }
  return (
    <EntryForm deed="Sign in" onSubmit={submit}>
      <input type="hidden" autoComplete="username" value={email} readOnly />
      <NewPasswordField value={password} onChange={setPassword} autoFocus />
    </EntryForm>
  )
}
