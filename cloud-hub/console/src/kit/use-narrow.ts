import { useSyncExternalStore } from 'react'

/** Tailwind's breakpoint `md`. */
const narrow = matchMedia('(max-width: 47.99rem)')

/** Whether the page is as narrow as on a phone, for layouts that differ in more than their style. */
export const useNarrow = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      narrow.addEventListener('change', listener)
      return () => narrow.removeEventListener('change', listener)
    },
    () => narrow.matches,
  )
