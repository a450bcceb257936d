/** Who is signed in, and what they may do. */

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import { BasestationSession, type SessionResponse } from '../../sdk/src/index.ts'

export const session = new BasestationSession()

export type Scope = NonNullable<SessionResponse['data']['scopes']>[number]
export type Role = NonNullable<SessionResponse['data']['user']>['role']
export type SignedIn = Required<SessionResponse['data']>

export const useSession = () =>
  useQuery({ queryKey: ['session'], queryFn: async () => (await session.session()).data, staleTime: 60_000 })

/** For after signing in or out: nothing that another person saw stays. */
export function useForgetEverything(): () => Promise<void> {
  const client = useQueryClient()
  return async () => {
    client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' })
    await client.invalidateQueries({ queryKey: ['session'] })
  }
}

export const SignedInContext = createContext<SignedIn | null>(null)

export const useSignedIn = (): SignedIn => useContext(SignedInContext)!
export const useMay = (scope: Scope): boolean => useSignedIn().scopes.includes(scope)
export const useManagesTeam = (): boolean => ['owner', 'admin'].includes(useSignedIn().user.role)
