import { keep, kept, keptKeys } from '../api/storage.ts'

/** What a person chose in the finder: a page or a record, with the address that it has. */
export interface Recent {
  to: string
  search?: Record<string, string>
  icon: string
  text: string
  detail?: string
}

const MAX_RECENT = 6
const PREFIX = 'haltless.found.'
const keyOf = (userId: string) => `${PREFIX}${userId}`

/** What a user chose in this browser, the newest first. */
export function recentChoices(userId: string): Recent[] {
  try {
    const found: unknown = JSON.parse(kept(keyOf(userId)) ?? '[]')
    return Array.isArray(found) ? found.filter((it) => typeof it?.to === 'string' && typeof it?.text === 'string') : []
  } catch {
    return []
  }
}

const addressOf = ({ to, search }: Recent) => JSON.stringify([to, search ?? {}])

/** Remembers what a user chose, and forgets what others chose in this browser. */
export function rememberChoice(userId: string, choice: Recent): void {
  for (const key of keptKeys(PREFIX)) if (key !== keyOf(userId)) keep(key, null)
  const others = recentChoices(userId).filter((it) => addressOf(it) !== addressOf(choice))
  keep(keyOf(userId), JSON.stringify([choice, ...others].slice(0, MAX_RECENT)))
}
