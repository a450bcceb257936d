/** Who is signed in, and what they may do. */

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import { BasestationSession, type SessionResponse } from '../../sdk/src/index.ts'
import { onRefused } from './password-asked.ts'
import { startOver } from './start-over.ts'

export const session = new BasestationSession('', { onRefused })

export type Scope = NonNullable<SessionResponse['data']['scopes']>[number]
export type Role = NonNullable<SessionResponse['data']['user']>['role']
export type SignedIn = Required<SessionResponse['data']>

export const useSession = () =>
  useQuery({
    queryKey: ['session'],
    queryFn: async () => (await session.session()).data,
    staleTime: 60_000,
    // Somebody else may have signed in beside this page.
    refetchOnWindowFocus: 'always',
  })

/** What a one-time link is good for. Looked at once: with its use it ends. */
export const useLink = (token: string) =>
  useQuery({
    queryKey: ['link', token],
    queryFn: async () => (await session.lookAtLink(token)).data,
    staleTime: Number.POSITIVE_INFINITY,
  })

/** For after signing in. Whoever was here before goes on where they were; of anybody else nothing stays. */
export function useEntered(): (before?: SignedIn) => Promise<void> {
  const client = useQueryClient()
  return async before => {
    const { data } = await session.session()
    if (before && before.user.id !== data.user?.id) return startOver()
    // What is shown again is looked up again.
    await client.invalidateQueries({ refetchType: 'none' })
    client.setQueryData(['session'], data)
  }
}

export const SignedInContext = createContext<SignedIn | null>(null)

export const useSignedIn = (): SignedIn => useContext(SignedInContext)!
export const useMay = (scope: Scope): boolean => useSignedIn().scopes.includes(scope)
export const useManagesTeam = (): boolean => ['owner', 'admin'].includes(useSignedIn().user.role)
