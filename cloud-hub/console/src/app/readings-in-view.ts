import { useEffect } from 'react'

const views = new Map<symbol, readonly string[]>()
const listeners = new Set<() => void>()

function show(view: symbol, machineIds: readonly string[] | null): void {
  if (machineIds) views.set(view, machineIds)
  else views.delete(view)
  for (const listener of listeners) listener()
}

/** The machines whose readings this tab shows: the stream sends those of no others. */
export const readingsInView = {
  machineIds: (): string[] => [...new Set([...views.values()].flat())],
  follow(listener: () => void): () => void {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
}

/** Asks for the readings of these machines as they change, while the component is mounted. */
export function useReadingsOf(machineIds: readonly string[]): void {
  const key = machineIds.join()
  useEffect(() => {
    if (key === '') return
    const view = Symbol()
    show(view, key.split(','))
    return () => show(view, null)
  }, [key])
}
