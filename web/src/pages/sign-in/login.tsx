/** Signing in; or, while nobody can, how to set the gateway up. */

import { useState } from 'react'
import { BasestationError, type SessionResponse } from '../../../../sdk/src/index.ts'
import { Secret } from '../../parts/copy.tsx'
import { CodeField, EmailField, EntryForm, PasswordField } from '../../parts/entry.tsx'
import { type SignedIn, session as sessions, useEntered } from '../../session.ts'
import { Alone } from './alone.tsx'

type Props = {
  session: SessionResponse['data']
  /** Who was signed in until now. */
  before?: SignedIn | undefined
}

export const Login = ({ session, before }: Props) =>
  session.set_up ? <SignIn isInsecure={session.insecure} before={before} /> : <NotSetUp />

function SignIn({ isInsecure, before }: { isInsecure: boolean; before: SignedIn | undefined }) {
  const entered = useEntered()
  const [email, setEmail] = useState(before?.user.email ?? '')
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const [wantsCode, setWantsCode] = useState(false)
  const submit = async () => {
    try {
      await sessions.login({ email, password, ...(wantsCode && { code }) })
    } catch (problem) {
      if (!(problem instanceof BasestationError && problem.code === 'code_needed')) throw problem
      setWantsCode(true)
      return
    }
    await entered(before)
  }
  return (
    <Alone title="Sign in" isInsecure={isInsecure}>
      {before && <p className="muted">Your session has ended. Sign in, and the page is as you left it.</p>}
      <EntryForm deed="Sign in" onSubmit={submit}>
        <EmailField value={email} onChange={setEmail} autoFocus={!before} />
        <PasswordField value={password} onChange={setPassword} autoFocus={before !== undefined} />
        {wantsCode && (
          <CodeField label="Code from your authenticator app" value={code} onChange={setCode} autoFocus />
        )}
      </EntryForm>
      <div className="stack">
        <p className="muted small">
          Lost your password? Ask an owner or admin for a link, or on the gateway’s machine run
        </p>
        <Secret text="npx basestation users reset EMAIL" />
      </div>
    </Alone>
  )
}

const NotSetUp = () => (
  <Alone title="Almost there">
    <p>
      The gateway runs, and nobody can sign in yet. Open the link that was printed when it started. It works
      once, within an hour; every start prints a new one, and so does this command on the gateway’s machine:
    </p>
    <Secret text="npx basestation setup-link" />
  </Alone>
)
