/** A page by itself, without the menu. */

import { type ReactNode, useEffect } from 'react'

type Props = { title: string; isInsecure?: boolean; isRoomy?: boolean; children: ReactNode }

export function Alone({ title, isInsecure = false, isRoomy = false, children }: Props) {
  useEffect(() => {
    document.title = `${title} · Basestation`
  }, [title])
  return (
    <>
      {isInsecure && (
        <div className="strip" role="note">
          This page came over plain http. Anybody on the network can read your password.
        </div>
      )}
      <main className="alone">
        <div className={isRoomy ? 'card roomy stack wide' : 'card stack wide'}>
          <div className="brand">
            <img src="/icon.svg" alt="" />
            <span>Basestation</span>
          </div>
          <h1>{title}</h1>
          {children}
        </div>
      </main>
    </>
  )
}
