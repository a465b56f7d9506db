import { useSearch } from '@tanstack/react-router'
import { uuid } from './search.ts'

/** The site to which pages are narrowed, from their address; undefined: the whole company. */
export const useSite = (): string | undefined =>
  useSearch({ strict: false, select: (search) => (search as { site?: string }).site })

const keyOf = (userId: string) => `haltless.site.${userId}`

/** The site that a user chose last in this browser; undefined: none, or the browser stores nothing. */
export function rememberedSite(userId: string): string | undefined {
  try {
    return uuid(localStorage.getItem(keyOf(userId)) ?? '')
  } catch {
    return undefined
  }
}

export function rememberSite(userId: string, site: string | undefined): void {
  try {
    if (site) localStorage.setItem(keyOf(userId), site)
    else localStorage.removeItem(keyOf(userId))
  } catch {
    // the address has it
  }
}
