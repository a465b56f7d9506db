import { getRouteApi, useNavigate } from '@tanstack/react-router'
import type { ExactRange } from '../../kit/range-fields.tsx'

const route = getRouteApi('/app/operations')
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** The longest range of figures. Source: the API document */
const MAX_DAYS = 366

type Days = '1' | '7' | '30' | '90'

/** The range of the pages of operations, in the address: days until now, or exact ones from and to. */
export function useRange() {
  const { days = '30', from, to } = route.useSearch()
  const navigate = useNavigate({ from: '/operations' })
  const given = from && to ? { from: Date.parse(from), to: Date.parse(to) } : null
  const isExact = given !== null && given.from < given.to && given.to - given.from <= MAX_DAYS * DAY_MS
  // whole hours, so that a reload finds the same query in the cache
  const now = Math.ceil(Date.now() / HOUR_MS) * HOUR_MS
  const range: ExactRange = isExact ? given : { from: now - Number(days) * DAY_MS, to: now }
  const go = (change: { days?: Days | undefined; from?: string | undefined; to?: string | undefined }) =>
    navigate({ search: (known) => ({ ...known, from: undefined, to: undefined, ...change, page: undefined }), replace: true })
  return {
    range,
    /** null: the range is exact */
    days: isExact ? null : days,
    /** how many days the range has */
    length: Math.max(1, Math.round((range.to - range.from) / DAY_MS)),
    chooseDays: (next: Days) => go({ days: next }),
    chooseRange: ({ from, to }: ExactRange) =>
      go({ from: new Date(Math.max(from, to - MAX_DAYS * DAY_MS)).toISOString(), to: new Date(to).toISOString() }),
  }
}
