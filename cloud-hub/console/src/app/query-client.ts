import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { apiQuery } from '../api/client.ts'
import { isApiError } from '../api/error.ts'
import { onSessionChange, sessionState } from '../api/session.ts'
import { clearToasts } from '../kit/toast.tsx'

const RETRIES = 2

/** The company requires two-factor sign-in since a moment ago: who is signed in says so, and leads to the set-up. */
function onRefusal(error: unknown): void {
  if (isApiError(error) && error.code === 'mfa_setup_required')
    queryClient.invalidateQueries({ queryKey: apiQuery('/auth/me').queryKey })
}

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: onRefusal }),
  mutationCache: new MutationCache({ onError: onRefusal }),
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      gcTime: 5 * 60_000,
      // a refusal stays one; a hub that is away may come back
      retry: (count, error) => count < RETRIES && isApiError(error) && (error.problem === null || error.status === 503),
      // the browser's own idea of being online is not that the hub answers
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
})

let userId: string | undefined

// another person who signs in, here or in another tab, must not see what the last one loaded
onSessionChange(() => {
  const session = sessionState()
  const next = session.status === 'signed_in' ? session.userId : undefined
  if (userId !== undefined && next !== userId) {
    queryClient.clear()
    clearToasts()
  }
  userId = next
})
