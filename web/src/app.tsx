/** Which page to show: set-up first, then signing in, then everything else. */

import { Activity, lazy, Suspense, useEffect, useState } from 'react'
import { Redirect, Route, Switch } from 'wouter'
import type { SessionResponse } from '../../sdk/src/index.ts'
import { type Environment, EnvironmentContext, environments, rememberedEnvironment } from './environment.ts'
import { Login } from './pages/sign-in/login.tsx'
import { Needs } from './parts/needs.tsx'
import { Trouble } from './parts/page.tsx'
import { PasswordSheet } from './parts/password-sheet.tsx'
import { type SignedIn, SignedInContext, useSession } from './session.ts'
import { Shell } from './shell.tsx'
import { startOver } from './start-over.ts'

const Setup = lazy(() => import('./pages/sign-in/setup.tsx'))
const Welcome = lazy(() => import('./pages/sign-in/welcome.tsx'))
const Home = lazy(() => import('./pages/home.tsx'))
const Messages = lazy(() => import('./pages/messages/messages.tsx'))
const Compose = lazy(() => import('./pages/messages/compose.tsx'))
const Bulk = lazy(() => import('./pages/bulk/bulk.tsx'))
const Inbox = lazy(() => import('./pages/inbox/inbox.tsx'))
const Devices = lazy(() => import('./pages/devices/devices.tsx'))
const AddDevice = lazy(() => import('./pages/devices/add-device.tsx'))
const Keys = lazy(() => import('./pages/keys/keys.tsx'))
const Webhooks = lazy(() => import('./pages/webhooks/webhooks.tsx'))
const WebhookLog = lazy(() => import('./pages/webhooks/webhook-log.tsx'))
const OptOuts = lazy(() => import('./pages/opt-outs.tsx'))
const Nodes = lazy(() => import('./pages/nodes.tsx'))
const Settings = lazy(() => import('./pages/settings.tsx'))
const Reference = lazy(() => import('./pages/reference.tsx'))
const Team = lazy(() => import('./pages/team.tsx'))
const Audit = lazy(() => import('./pages/audit.tsx'))
const Account = lazy(() => import('./pages/account.tsx'))

/** For so long a page waits, out of sight, for whoever was there. */
const awayMs = 15 * 60_000

export function App() {
  const { data, error } = useSession()
  if (!data)
    return error ? (
      <main className="alone">
        <Trouble error={error} />
      </main>
    ) : null
  return (
    <Suspense>
      <Switch>
        <Route path="/setup">
          <Setup session={data} />
        </Route>
        <Route path="/welcome" component={Welcome} />
        <Route>
          <Door session={data} />
        </Route>
      </Switch>
    </Suspense>
  )
}

/**
 * A session that ends hides what was being done, and does not end it: whoever comes back soon goes on. Another person,
 * who may have signed in beside this page, starts over.
 */
function Door({ session }: { session: SessionResponse['data'] }) {
  const [last, setLast] = useState<SignedIn>()
  const now = session.user ? (session as SignedIn) : undefined
  const isAnother = now !== undefined && last !== undefined && now.user.id !== last.user.id
  if (now && now !== last && !isAnother) setLast(now)
  const isGone = now === undefined && last !== undefined
  useEffect(() => {
    if (isAnother) startOver()
    if (!isGone) return
    const timer = setTimeout(startOver, awayMs)
    return () => clearTimeout(timer)
  }, [isAnother, isGone])
  if (isAnother) return null
  return (
    <>
      {last && (
        <Activity mode={now ? 'visible' : 'hidden'}>
          <Inside signedIn={last} />
        </Activity>
      )}
      {!now && <Login session={session} before={last} />}
    </>
  )
}

function Inside({ signedIn }: { signedIn: SignedIn }) {
  const home = `/${rememberedEnvironment() ?? 'production'}`
  return (
    <SignedInContext value={signedIn}>
      <PasswordSheet />
      <Switch>
        <Route path="/login">
          <Redirect to={home} replace />
        </Route>
        <Route path="/">
          <Redirect to={home} replace />
        </Route>
        {environments.map(environment => (
          <Route key={environment} path={`/${environment}`} nest>
            <Pages environment={environment} />
          </Route>
        ))}
        <Route path="/team">
          <Frame>
            <Team />
          </Frame>
        </Route>
        <Route path="/audit">
          <Frame>
            <Audit />
          </Frame>
        </Route>
        <Route path="/account">
          <Frame>
            <Account />
          </Frame>
        </Route>
        <Route>
          <Frame>
            <Nothing />
          </Frame>
        </Route>
      </Switch>
    </SignedInContext>
  )
}

/** Pages that are about neither environment keep the one that was looked at last. */
const Frame = ({ children }: { children: React.ReactNode }) => (
  <EnvironmentContext value={rememberedEnvironment() ?? 'production'}>
    <Shell isAboutNone>
      <Suspense>{children}</Suspense>
    </Shell>
  </EnvironmentContext>
)

const Pages = ({ environment }: { environment: Environment }) => (
  <EnvironmentContext value={environment}>
    <Shell key={environment}>
      <Suspense>
        <Switch>
          <Route path="/" component={Home} />
          <Route path="/messages/new">
            <Needs scope="messages:send">
              <Compose />
            </Needs>
          </Route>
          <Route path="/messages/bulk">
            <Needs scope="messages:send">
              <Bulk />
            </Needs>
          </Route>
          {/* One route for the list and for what is open above it: the list stays as it is, and where it is. */}
          <Route path="/messages/:id?" component={Messages} />
          <Route path="/inbox/:person?" component={Inbox} />
          <Route path="/devices" component={Devices} />
          <Route path="/devices/add">
            <Needs scope="devices:manage">
              <AddDevice />
            </Needs>
          </Route>
          <Route path="/devices/:id/connect">
            <Needs scope="devices:manage">
              <AddDevice />
            </Needs>
          </Route>
          <Route path="/keys">
            <Needs scope="keys:manage">
              <Keys />
            </Needs>
          </Route>
          <Route path="/webhooks">
            <Needs scope="webhooks:manage">
              <Webhooks />
            </Needs>
          </Route>
          <Route path="/webhooks/:id">
            <Needs scope="webhooks:manage">
              <WebhookLog />
            </Needs>
          </Route>
          <Route path="/opt-outs">
            <Needs scope="people:manage">
              <OptOuts />
            </Needs>
          </Route>
          <Route path="/nodes">
            <Needs scope="settings:manage">
              <Nodes />
            </Needs>
          </Route>
          <Route path="/settings">
            <Needs scope="settings:manage">
              <Settings />
            </Needs>
          </Route>
          <Route path="/reference" component={Reference} />
          <Route component={Nothing} />
        </Switch>
      </Suspense>
    </Shell>
  </EnvironmentContext>
)

const Nothing = () => (
  <div className="empty">
    <h1>There is no such page</h1>
    <p>It may have moved. Everything is in the menu.</p>
  </div>
)
