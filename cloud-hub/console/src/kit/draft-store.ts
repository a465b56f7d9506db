import { onSessionChange, sessionState } from '../api/session.ts'
import { keep, kept, keptKeys } from '../api/storage.ts'

/** What somebody has typed and not sent. */
export interface Draft {
  userId: string
  /** ms since 1970, by the clock of this computer */
  at: number
  /** values by the keys of their controls */
  fields: Record<string, string>
}

const PREFIX = 'haltless.draft.'
const KEPT_MS = 24 * 3_600_000

/** Who types; null where nobody is signed in. */
export const drafter = (): string | null => {
  const session = sessionState()
  return session.status === 'signed_in' ? session.userId : null
}

const parse = (text: string | null): Draft | null => {
  try {
    return text ? (JSON.parse(text) as Draft) : null
  } catch {
    return null
  }
}

/** The draft of the signed-in person at a place, such as a dialog of a page. */
export function draftAt(place: string): Draft | null {
  const draft = parse(kept(PREFIX + place))
  return draft && draft.userId === drafter() && Date.now() - draft.at < KEPT_MS ? draft : null
}

/** @returns when it was kept, ms since 1970 */
export function keepDraft(place: string, fields: Draft['fields'] | null): number {
  const [userId, at] = [drafter(), Date.now()]
  if (userId !== null) keep(PREFIX + place, fields && JSON.stringify({ userId, at, fields } satisfies Draft))
  return at
}

/** A draft ends after a day, and when somebody else signs in at this browser. */
function dropForeign(): void {
  const userId = drafter()
  if (userId === null) return
  for (const key of keptKeys(PREFIX)) {
    const draft = parse(kept(key))
    if (!draft || draft.userId !== userId || Date.now() - draft.at >= KEPT_MS) keep(key, null)
  }
}

/** Removes what is no longer to be kept, now and at each sign-in. */
export function dropDrafts(): void {
  onSessionChange(dropForeign)
  dropForeign()
}
