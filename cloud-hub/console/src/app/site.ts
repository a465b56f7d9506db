import { createContext, useContext } from 'react'

/** The site that the address names. A context, so that pages need no part of the router for it. */
export const SiteContext = createContext<string | undefined>(undefined)

/** The site to which pages are narrowed; undefined: the whole company. */
export const useSite = (): string | undefined => useContext(SiteContext)

const keyOf = (userId: string) => `haltless.site.${userId}`

/** The site that a user chose last in this browser; undefined: none, or the browser stores nothing. */
export function rememberedSite(userId: string): string | undefined {
  try {
    return localStorage.getItem(keyOf(userId)) ?? undefined
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
