/** The frame around every page: environment, menu, and what everybody must know. */

import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { useBrowserLocation } from 'wouter/use-browser-location'
import { environments, rememberEnvironment, useApi, useEnvironment } from './environment.ts'
import { useLive } from './live.ts'
import { isUnfinished } from './pages/bulk/run.ts'
import { Boundary } from './parts/boundary.tsx'
import { Confirm } from './parts/confirm.tsx'
import { Icon, type IconName } from './parts/icon.tsx'
import { useToast } from './parts/toast.tsx'
import { useReach } from './reach.ts'
import { type Scope, session, useManagesTeam, useMay, useSignedIn } from './session.ts'
import { startOver } from './start-over.ts'
import { applyTheme, type Theme, theme, themes } from './theme.ts'

type Entry = { path: string; label: string; icon: IconName; scope?: Scope }

const entries: readonly Entry[] = [
  { path: '', label: 'Home', icon: 'home' },
  { path: '/messages', label: 'Messages', icon: 'messages', scope: 'messages:read' },
  { path: '/inbox', label: 'Inbox', icon: 'inbox', scope: 'inbox:read' },
  { path: '/devices', label: 'Devices', icon: 'devices', scope: 'devices:read' },
  { path: '/webhooks', label: 'Webhooks', icon: 'webhooks', scope: 'webhooks:manage' },
  { path: '/keys', label: 'API keys', icon: 'keys', scope: 'keys:manage' },
  { path: '/opt-outs', label: 'Opt-outs', icon: 'people', scope: 'people:manage' },
  { path: '/nodes', label: 'Nodes', icon: 'nodes', scope: 'settings:manage' },
  { path: '/settings', label: 'Settings', icon: 'settings', scope: 'settings:manage' },
  { path: '/reference', label: 'API reference', icon: 'reference' },
]

export function Shell({ isAboutNone = false, children }: { isAboutNone?: boolean; children: ReactNode }) {
  const environment = useEnvironment()
  const { insecure } = useSignedIn()
  const sheet = useRef<HTMLDialogElement>(null)
  const main = useRef<HTMLElement>(null)
  const [location] = useLocation()
  useLive(environment, useMay('events:read'))
  const isReached = useReach()
  useEffect(() => {
    if (!isAboutNone) rememberEnvironment(environment)
  }, [environment, isAboutNone])
  // A page that is hidden must not leave a window open above the one that is shown.
  useLayoutEffect(() => {
    const menu = sheet.current
    return () => menu?.close()
  }, [])
  const before = useRef(location)
  useEffect(() => {
    sheet.current?.close()
    // A new page begins at its heading, for those who cannot see that it changed.
    if (before.current.split('/')[1] !== location.split('/')[1]) {
      main.current?.focus({ preventScroll: true })
      scrollTo(0, 0)
    }
    before.current = location
  }, [location])
  return (
    <div className={!isAboutNone && environment === 'staging' ? 'shell staging' : 'shell'}>
      <a className="skip" href="#main">
        Skip to content
      </a>
      <Sidebar isAboutNone={isAboutNone} />
      <div className="content">
        <div className="topbar">
          <button
            type="button"
            className="button quiet small"
            aria-label="Menu"
            onClick={() => sheet.current?.showModal()}
          >
            <Icon name="menu" size={20} />
          </button>
          <Link href="~/" className="brand" aria-label="Basestation, home">
            <img src="/icon.svg" alt="" />
            <span>Basestation</span>
          </Link>
          <EnvironmentSwitch isAboutNone={isAboutNone} />
        </div>
        {insecure && (
          <div className="strip" role="note">
            This page came over plain http. Anybody on the network can read passwords and messages.
          </div>
        )}
        {!isReached && (
          <div className="strip calm" role="status">
            The gateway cannot be reached. Data may be out of date. Retrying…
          </div>
        )}
        <main id="main" ref={main} tabIndex={-1}>
          <Boundary place={location}>{children}</Boundary>
        </main>
      </div>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard has Escape */}
      <dialog
        ref={sheet}
        className="menu-sheet"
        aria-label="Menu"
        onClick={event => {
          const isOutside = event.target === sheet.current
          if (isOutside || (event.target as Element).closest('a')) sheet.current?.close()
        }}
      >
        <Sidebar isAboutNone={isAboutNone} />
      </dialog>
    </div>
  )
}

function EnvironmentSwitch({ isAboutNone }: { isAboutNone: boolean }) {
  const environment = useEnvironment()
  // The whole address: within an environment locations are relative to it.
  const [path] = useBrowserLocation()
  const page = isAboutNone ? '' : (path.split('/')[2] ?? '')
  return (
    <nav className="switch" aria-label="Environment">
      {environments.map(name => (
        <Link
          key={name}
          href={`~/${name}${page === '' ? '' : `/${page}`}`}
          className={name}
          // Also on pages about neither: this is where the menu leads.
          aria-current={name === environment ? 'true' : undefined}
        >
          {name === 'production' ? 'Production' : 'Staging'}
        </Link>
      ))}
    </nav>
  )
}

function Sidebar({ isAboutNone }: { isAboutNone: boolean }) {
  const environment = useEnvironment()
  const { user, scopes } = useSignedIn()
  const managesTeam = useManagesTeam()
  const [path] = useBrowserLocation()
  const unread = useUnread()
  const isAt = (to: string, isWhole: boolean) => path === to || (!isWhole && path.startsWith(`${to}/`))
  return (
    <div className="sidebar">
      <Link href="~/" className="brand">
        <img src="/icon.svg" alt="" />
        <span>Basestation</span>
      </Link>
      <EnvironmentSwitch isAboutNone={isAboutNone} />
      <nav className="links" aria-label="Pages">
        {entries
          .filter(({ scope }) => scope === undefined || scopes.includes(scope))
          .map(({ path: to, label, icon }) => (
            <Link
              key={to}
              href={`~/${environment}${to}`}
              aria-current={isAt(`/${environment}${to}`, to === '') ? 'page' : undefined}
            >
              <Icon name={icon} />
              {label}
              {to === '/inbox' && unread > 0 && (
                <span className="count">
                  {unread >= 100 ? '99+' : unread}
                  <span className="hidden-visually"> unread</span>
                </span>
              )}
            </Link>
          ))}
        <div className="group">Account and team</div>
        {managesTeam && (
          <>
            <Link href="~/team" aria-current={path === '/team' ? 'page' : undefined}>
              <Icon name="team" />
              Team
            </Link>
            <Link href="~/audit" aria-current={path === '/audit' ? 'page' : undefined}>
              <Icon name="audit" />
              Audit log
            </Link>
          </>
        )}
        <Link href="~/account" aria-current={path === '/account' ? 'page' : undefined}>
          <Icon name="account" />
          Account
        </Link>
      </nav>
      <div className="links foot">
        <div className="group">{user.email}</div>
        <ThemeButton />
        <SignOut />
      </div>
    </div>
  )
}

function useUnread(): number {
  const api = useApi()
  const environment = useEnvironment()
  const mayRead = useMay('inbox:read')
  const { data } = useQuery({
    queryKey: [environment, 'conversations', 'unread'],
    queryFn: () => api.conversations({ limit: 1 }),
    enabled: mayRead,
    // Also tells whether the gateway is there at all.
    refetchInterval: lookMs,
  })
  return data?.unread ?? 0
}

/** How soon a page notices that its gateway is gone, or back. */
const lookMs = 10_000

const themeWords: Record<Theme, string> = {
  system: 'Theme: system',
  light: 'Theme: light',
  dark: 'Theme: dark',
}

function ThemeButton() {
  const [chosen, setChosen] = useState(theme)
  const next = themes[(themes.indexOf(chosen) + 1) % themes.length]!
  return (
    <button
      type="button"
      onClick={() => {
        applyTheme(next)
        setChosen(next)
      }}
    >
      <Icon name="theme" />
      {themeWords[chosen]}
    </button>
  )
}

function SignOut() {
  const { complain } = useToast()
  const [isAsking, setAsking] = useState(false)
  const signOut = async () => {
    try {
      await session.logout()
      startOver()
    } catch (error) {
      complain(error)
    }
  }
  return (
    <>
      <button type="button" onClick={() => (isUnfinished() ? setAsking(true) : void signOut())}>
        <Icon name="out" />
        Sign out
      </button>
      {isAsking && (
        <Confirm
          title="Stop sending to this list?"
          deed="Sign out"
          onConfirm={() => void signOut()}
          onClose={() => setAsking(false)}
        >
          <p>A bulk send is running. Recipients not yet accepted exist only in this page.</p>
        </Confirm>
      )}
    </>
  )
}
