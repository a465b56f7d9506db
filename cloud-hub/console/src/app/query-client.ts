import { type Mutation, MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
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

let refreshStale: ((client: QueryClient) => Promise<void>) | undefined
/** The pages behind the sign-in bring what is to be done after each change. */
export const afterChanges = (run: (client: QueryClient) => Promise<void>): void => {
  refreshStale = run
}

/**
 * The queries that a change made stale are read again: before its own `onSuccess`, or after its `onError` has taken back what was shown.
 * Of changes with one key only the last does it: an answer between two of them would undo what the page shows already.
 */
function onChanged({ options: { mutationKey } }: Mutation<unknown, unknown, unknown, unknown>): Promise<void> | undefined {
  if (mutationKey && queryClient.isMutating({ mutationKey }) > 1) return
  return refreshStale?.(queryClient)
}

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: onRefusal }),
  mutationCache: new MutationCache({
    onError: onRefusal,
    onSuccess: (_data, _variables, _shown, mutation) => onChanged(mutation),
    // an error is shown at once
    onSettled: (_data, error, _variables, _shown, mutation) => {
      const done = onChanged(mutation)
      return error ? undefined : done
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      gcTime: 5 * 60_000,
      // a refusal stays one; a hub that is away may come back, but `patiently` has waited already where it says when
      retry: (count, error) =>
        count < RETRIES && isApiError(error) && !error.isFinal && (error.problem === null || error.status === 503),
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
