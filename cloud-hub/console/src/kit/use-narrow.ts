import { useSyncExternalStore } from 'react'

/** Tailwind's breakpoint `md`. */
const narrow = matchMedia('(max-width: 47.99rem)')

const wide = matchMedia('(min-width: 100rem)')

/** Whether the page is as narrow as on a phone, for layouts that differ in more than their style. */
export const useNarrow = (): boolean => useMedia(narrow)

/** Whether two columns of charts fit, as from 1,600 px on. */
export const useWide = (): boolean => useMedia(wide)

const useMedia = (media: MediaQueryList): boolean =>
  useSyncExternalStore(
    (listener) => {
      media.addEventListener('change', listener)
      return () => media.removeEventListener('change', listener)
    },
    () => media.matches,
  )
