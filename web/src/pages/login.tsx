/** Signing in; or, while nobody can, how to set the gateway up. */

import { useState } from 'react'
import { BasestationError, type SessionResponse } from '../../../sdk/src/index.ts'
import { Button } from '../parts/button.tsx'
import { Secret } from '../parts/copy.tsx'
import { TextField } from '../parts/field.tsx'
import { Trouble } from '../parts/page.tsx'
import { session as sessions, useForgetEverything } from '../session.ts'
import { Alone } from './alone.tsx'

export const Login = ({ session }: { session: SessionResponse['data'] }) =>
  session.set_up ? <SignIn isInsecure={session.insecure} /> : <NotSetUp />

function SignIn({ isInsecure }: { isInsecure: boolean }) {
  const forget = useForgetEverything()
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const [wantsCode, setWantsCode] = useState(false)
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const submit = async (event: React.SubmitEvent) => {
    event.preventDefault()
    setBusy(true)
    setError(undefined)
    try {
      await sessions.login({ email, password, ...(wantsCode && { code }) })
      await forget()
    } catch (problem) {
      const isCode = problem instanceof BasestationError && problem.code === 'code_needed'
      if (isCode) setWantsCode(true)
      else setError(problem)
      setBusy(false)
    }
  }
  return (
    <Alone title="Sign in" isInsecure={isInsecure}>
      <form className="stack" onSubmit={submit}>
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
          autoComplete="current-password"
          required
        />
        {wantsCode && (
          <TextField
            label="Code from your authenticator app"
            value={code}
            onChange={setCode}
            autoComplete="one-time-code"
            inputMode="numeric"
            required
            autoFocus
          />
        )}
        {error !== undefined && <Trouble error={error} />}
        <Button type="submit" look="primary" isBusy={isBusy}>
          Sign in
        </Button>
        <p className="muted small">
          Lost your password? Ask an owner for a link, or on the gateway’s machine run
        </p>
        <Secret text="npx basestation users reset EMAIL" />
      </form>
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
