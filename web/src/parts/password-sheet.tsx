/** Asks for the password again, above whatever is open. */

import { useState } from 'react'
import { useAct } from '../act.ts'
import { settle, usePasswordAsked } from '../password-asked.ts'
import { session, useSignedIn } from '../session.ts'
import { Button } from './button.tsx'
import { PasswordField } from './entry.tsx'
import { Sheet } from './sheet.tsx'

export const PasswordSheet = () => (usePasswordAsked() ? <Asking /> : null)

function Asking() {
  const { user } = useSignedIn()
  const [act, isBusy, wrong] = useAct('/password')
  const [password, setPassword] = useState('')
  return (
    <Sheet title="Confirm your password" onClose={() => settle(false)}>
      <form
        className="stack"
        onSubmit={async event => {
          event.preventDefault()
          if (await act(() => session.confirmPassword({ password }), { stale: ['nothing'] })) settle(true)
        }}
      >
        <p>
          This grants lasting access, so please confirm that it is you. You are not asked again for 15
          minutes.
        </p>
        {/* For password managers, which otherwise do not know whose it is. */}
        <input type="hidden" name="username" autoComplete="username" value={user.email} />
        <PasswordField value={password} onChange={setPassword} wrong={wrong('/password')} autoFocus />
        <div className="foot-actions">
          <Button onClick={() => settle(false)}>Cancel</Button>
          <Button type="submit" look="primary" isBusy={isBusy}>
            Confirm
          </Button>
        </div>
      </form>
    </Sheet>
  )
}
