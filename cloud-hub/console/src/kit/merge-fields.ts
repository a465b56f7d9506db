import type { FieldConflict } from './conflict-store.ts'

type Fields = Record<string, unknown>

/** Fields that a change merges by key: an absent key stays, null deletes one. All others are replaced as a whole. */
const MERGED_BY_KEY = ['config', 'prefs', 'unit_preferences']
/** What answers show of a secret. */
const SECRET = '***'
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d/

interface Change {
  key: string
  /** within a field that is merged by key */
  inner: string | null
  path: string
  conflicts: boolean
}
export interface Compared {
  /** what the person has changed; all other fields keep what the record has now */
  changes: readonly Change[]
  conflicts: readonly FieldConflict[]
}

const isRecord = (value: unknown): value is Fields => value !== null && typeof value === 'object' && !Array.isArray(value)

/** Equal values have one text: an empty text is none, an instant has milliseconds or not, and a time of day seconds. */
function textOf(value: unknown): string {
  if (value === null || value === undefined || value === '') return ''
  if (Array.isArray(value)) return `[${value.map(textOf).join('\n')}]`
  if (isRecord(value))
    return Object.entries(value)
      .filter(([, inner]) => textOf(inner) !== '')
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => `${key}: ${textOf(inner)}`)
      .join('\n')
  if (typeof value === 'string' && INSTANT.test(value)) return String(Date.parse(value))
  return String(value).replace(/^(\d\d:\d\d):00$/, '$1')
}
const isSame = (a: unknown, b: unknown) => textOf(a) === textOf(b)

/** What a person and somebody else have changed of a record. */
export function compareChange(opened: object, now: object, body: object): Compared {
  const [before, present] = [opened as Fields, now as Fields]
  const changes: Change[] = []
  const conflicts: FieldConflict[] = []
  const compare = (key: string, inner: string | null, first: unknown, theirs: unknown, yours: unknown) => {
    if (isSame(yours, first)) return
    // nobody sees whether a secret is another one
    const isChangedByBoth = !isSame(yours, theirs) && (!isSame(theirs, first) || first === SECRET)
    const path = inner === null ? key : `${key}.${inner}`
    changes.push({ key, inner, path, conflicts: isChangedByBoth })
    if (isChangedByBoth) conflicts.push({ path, yours, theirs })
  }
  for (const [key, yours] of Object.entries(body)) {
    if (MERGED_BY_KEY.includes(key) && isRecord(yours)) {
      const [first, theirs] = [before[key] ?? {}, present[key] ?? {}] as [Fields, Fields]
      for (const [inner, value] of Object.entries(yours)) compare(key, inner, first[inner], theirs[inner], value)
    } else compare(key, null, before[key], present[key], yours)
  }
  return { changes, conflicts }
}

/** The change with what the person has changed, and of what both have with the paths of `mine`. */
export function mergedBody<Body extends object>(body: Body, { changes }: Compared, mine: readonly string[]): Body {
  const given = body as Fields
  const merged: Fields = {}
  for (const { key, inner, path, conflicts } of changes) {
    if (conflicts && !mine.includes(path)) continue
    if (inner === null) merged[key] = given[key]
    else merged[key] = { ...(merged[key] as Fields | undefined), [inner]: (given[key] as Fields)[inner] }
  }
  return merged as Body
}
