import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import { apiQuery } from '../api/client.ts'
import { createLiveUpdates } from '../api/live-updates.ts'
import { followStream } from '../api/stream.ts'
import { readingsInView } from './readings-in-view.ts'
import { streamPosition } from './start.ts'

interface Connection {
  status: 'connecting' | 'live' | 'lost'
  /** when the last event arrived before the stream was lost */
  lostAt: number | null
}

let connection: Connection = { status: 'connecting', lostAt: null }
const listeners = new Set<() => void>()

/** Keeps the query cache up to date while a page is open. */
export function LiveUpdates({ userId, sessionId }: { userId: string; sessionId: string }) {
  const client = useQueryClient()
  useEffect(() => {
    const apply = createLiveUpdates(client)
    return followStream(
      { userId, sessionId },
      {
        events: apply,
        machines: readingsInView,
        forbidden: () => client.invalidateQueries({ queryKey: apiQuery('/auth/me').queryKey }),
        status: (status) => {
          connection = { status, lostAt: status === 'lost' ? (connection.lostAt ?? Date.now()) : null }
          for (const listener of listeners) listener()
        },
      },
      streamPosition(client),
    )
  }, [client, userId, sessionId])
  return null
}

export const useConnection = (): Connection =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => connection,
  )
