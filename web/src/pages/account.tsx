/** One's own account: password, one-time codes, and where one is signed in. */

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { TotpResponse } from '../../../sdk/src/index.ts'
import { useAct } from '../act.ts'
import { Button } from '../parts/button.tsx'
import { Secret } from '../parts/copy.tsx'
import { CodeField, NewPasswordField, PasswordField } from '../parts/entry.tsx'
import { Found, Page } from '../parts/page.tsx'
import { QrCode } from '../parts/qr-code.tsx'
import { Time } from '../parts/show.tsx'
import { session, useSignedIn } from '../session.ts'

export default function Account() {
  const { user } = useSignedIn()
  return (
    <Page title="Account" about={`${user.email}, ${user.role}`}>
      <div className="stack wide compose">
        <Password />
        <TwoFactor />
        <Sessions />
      </div>
    </Page>
  )
}

function Password() {
  const [act, isBusy, wrong] = useAct('/current', '/password')
  const [current, setCurrent] = useState('')
  const [next, setNext] = useState('')
  return (
    <form
      className="card stack"
      onSubmit={async event => {
        event.preventDefault()
        const changed = await act(() => session.changePassword({ current, password: next }), {
          done: 'Changed. Other sessions of yours have ended.',
          stale: ['sessions'],
        })
        if (!changed) return
        setCurrent('')
        setNext('')
      }}
    >
      <h2>Password</h2>
      <PasswordField
        label="Current password"
        value={current}
        onChange={setCurrent}
        wrong={wrong('/current')}
      />
      <NewPasswordField label="New password" value={next} onChange={setNext} wrong={wrong('/password')} />
      <div className="row">
        <Button type="submit" isBusy={isBusy}>
          Change it
        </Button>
      </div>
    </form>
  )
}

function TwoFactor() {
  const { user } = useSignedIn()
  const [act, isBusy] = useAct()
  const [begun, setBegun] = useState<TotpResponse['data']>()
  const [code, setCode] = useState('')
  const [password, setPassword] = useState('')
  const stale = ['session']
  if (user.two_factor)
    return (
      <form
        className="card stack"
        onSubmit={async event => {
          event.preventDefault()
          const off = await act(() => session.removeTwoFactor({ password }), { done: 'Turned off.', stale })
          if (off) setPassword('')
        }}
      >
        <h2>Two-factor authentication</h2>
        <p>It is on: signing in needs your password and a code from your app.</p>
        <PasswordField label="Password to turn it off" value={password} onChange={setPassword} />
        <div className="row">
          <Button type="submit" look="danger" isBusy={isBusy}>
            Turn off
          </Button>
        </div>
      </form>
    )
  if (!begun)
    return (
      <section className="card stack">
        <h2>Two-factor authentication</h2>
        <p className="muted">
          With them a stolen password is not enough. Any authenticator app will do: Aegis, 1Password, Google
          Authenticator…
        </p>
        <div className="row">
          <Button
            isBusy={isBusy}
            onClick={() => act(async () => setBegun((await session.beginTwoFactor()).data))}
          >
            Turn on
          </Button>
        </div>
      </section>
    )
  return (
    <form
      className="card stack"
      onSubmit={async event => {
        event.preventDefault()
        const on = await act(() => session.confirmTwoFactor({ secret: begun.secret, code, password }), {
          done: 'Two-factor authentication is on.',
          stale,
        })
        if (!on) return
        setBegun(undefined)
        setPassword('')
      }}
    >
      <h2>Two-factor authentication</h2>
      <p>Scan this with your app, or type the secret into it. Then give a code that it shows.</p>
      <QrCode text={begun.uri} label="QR code for an authenticator app" />
      <Secret text={begun.secret} />
      <PasswordField label="Your password" value={password} onChange={setPassword} />
      <CodeField label="Code" value={code} onChange={setCode} />
      <div className="row">
        <Button type="submit" look="primary" isBusy={isBusy}>
          Turn it on
        </Button>
        <Button look="quiet" onClick={() => setBegun(undefined)}>
          Cancel
        </Button>
      </div>
    </form>
  )
}

function Sessions() {
  const [act, isBusy] = useAct()
  const query = useQuery({ queryKey: ['sessions'], queryFn: async () => (await session.sessions()).data })
  return (
    <section className="card stack">
      <h2>Where you are signed in</h2>
      <Found query={query}>
        {all => (
          <ul className="plain stack">
            {all.map(({ id, agent, address, seen_at: seen, current }) => (
              <li key={id} className="row spread">
                <span className="grow">
                  <strong>{browserOf(agent)}</strong> <span className="muted">{address}</span>
                  <div className="muted small">
                    {current ? (
                      'this one'
                    ) : (
                      <>
                        used <Time at={seen} />
                      </>
                    )}
                  </div>
                </span>
                {!current && (
                  <Button
                    isSmall
                    isBusy={isBusy}
                    onClick={() =>
                      act(() => session.endSession(id), { done: 'Session ended.', stale: ['sessions'] })
                    }
                  >
                    End it
                  </Button>
                )}
              </li>
            ))}
          </ul>
        )}
      </Found>
    </section>
  )
}

/** What browsers call themselves is long and full of history. */
function browserOf(agent: string): string {
  const browser = ['Edg', 'Firefox', 'Chrome', 'Safari'].find(name => agent.includes(`${name}/`))
  const system = ['Android', 'iPhone', 'iPad', 'Windows', 'Mac OS', 'Linux'].find(name =>
    agent.includes(name),
  )
  return [browser === 'Edg' ? 'Edge' : (browser ?? 'A browser'), system && `on ${system}`]
    .filter(Boolean)
    .join(' ')
}
