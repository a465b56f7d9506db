import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { apiQuery } from '../api/client.ts'

/** Names of all active machines by id, in the order of their names. */
export function useMachineNames(): ReadonlyMap<string, string> {
  const { data } = useQuery(apiQuery('/fleet/status'))
  return useMemo(
    () =>
      new Map(
        (data?.machines ?? [])
          .toSorted((a, b) => a.machine_name.localeCompare(b.machine_name))
          .map(({ machine_id, machine_name }) => [machine_id, machine_name]),
      ),
    [data],
  )
}
