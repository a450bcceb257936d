/** A page for those who may use it. Everybody else is told so, and sees no buttons that would be refused. */

import type { ReactNode } from 'react'
import { type Scope, useMay, useSignedIn } from '../session.ts'
import { Empty } from './page.tsx'

export function Needs({ scope, children }: { scope: Scope; children: ReactNode }) {
  const { user } = useSignedIn()
  if (useMay(scope)) return children
  return (
    <Empty title="Not for your role">
      <p>Your role, {user.role}, may not do this. An owner or admin can change it.</p>
    </Empty>
  )
}
