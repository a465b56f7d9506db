import { QueryClient } from '@tanstack/react-query'
import { isApiError } from '../api/error.ts'
import { onSessionChange, sessionState } from '../api/session.ts'
import { clearToasts } from '../kit/toast.tsx'

const RETRIES = 2

export const queryClient = new QueryClient({
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
