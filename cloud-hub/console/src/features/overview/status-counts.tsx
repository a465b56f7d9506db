import { getRouteApi } from '@tanstack/react-router'
import { StatusBar } from './status-bar.tsx'

const route = getRouteApi('/app/')

/** Machines by status; each count filters the machines below. */
export function StatusCounts() {
  return <StatusBar chosen={route.useSearch().status} />
}
