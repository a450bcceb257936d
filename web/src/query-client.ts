/** What the pages know of the gateway, kept for as long as it is likely to be true. */

import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { BasestationError } from '../../sdk/src/index.ts'
import { noteReach, onReached } from './reach.ts'

/** A session that ended shows on every page at once. */
export function onError(error: unknown): void {
  noteReach(error instanceof BasestationError && error.code !== 'no_answer')
  if (error instanceof BasestationError && error.status === 401)
    void queryClient.invalidateQueries({ queryKey: ['session'] })
}

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError, onSuccess: () => noteReach(true) }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // Longer than a page waits for somebody whose session ended: without what is behind it, a form would go.
      gcTime: 20 * 60_000,
      // The SDK has tried again already.
      retry: false,
      refetchOnWindowFocus: true,
    },
  },
})

// What could not be looked up meanwhile is looked up now.
onReached(() => void queryClient.invalidateQueries({ predicate: ({ state }) => state.status === 'error' }))
