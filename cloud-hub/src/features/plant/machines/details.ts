/**
 * Texts about a machine that a person may give, change and clear; null when not given. A new one needs a column of its name
 * (`db/tables/machines.ts`), a field in the console (`features/machines/detail-fields.tsx`), and its name in each language.
 */
export const DETAILS = {
  location: { maxLength: 500, meaning: 'Where the machine stands', example: 'Hall 3' },
} as const

export type Detail = keyof typeof DETAILS
export const DETAIL_NAMES = Object.keys(DETAILS) as Detail[]

/** A value for each detail. */
export const detailsOf = <T>(make: (detail: (typeof DETAILS)[Detail]) => T): Record<Detail, T> =>
  Object.fromEntries(Object.entries(DETAILS).map(([name, detail]) => [name, make(detail)])) as Record<Detail, T>
