import { isDeepStrictEqual } from 'node:util'
import type { ConnectionRow } from '../open-session.ts'

const MINUTE_MS = 60_000
const TOGGLES = ['autoPushWorkOrders', 'autoPushProductionData', 'autoPushDowntime', 'autoPullAssets'] as const

type Schedule = Pick<
  ConnectionRow,
  (typeof TOGGLES)[number] | 'isActive' | 'syncIntervalMinutes' | 'fieldMapping' | 'nextRunAt' | 'lastSyncAt' | 'lastSyncStatus'
>

/**
 * The next automatic run after a change. What was switched on or corrected is tried at once. A new interval counts from the last
 * run; it never delays the retry of a run with failures.
 */
export function dueAfter(before: Schedule, after: Schedule, isOtherConfig: boolean, now: Date): Date {
  const isMapped = !isDeepStrictEqual(before.fieldMapping, after.fieldMapping)
  const isStarted = (!before.isActive && after.isActive) || TOGGLES.some((toggle) => !before[toggle] && after[toggle])
  if (isOtherConfig || isMapped || isStarted) return now
  if (before.syncIntervalMinutes === after.syncIntervalMinutes) return before.nextRunAt
  const last = after.lastSyncAt ?? now
  const next = Math.max(now.getTime(), last.getTime() + after.syncIntervalMinutes * MINUTE_MS)
  const isRetry = after.lastSyncStatus === 'partial' || after.lastSyncStatus === 'failed' || !after.lastSyncAt
  return new Date(isRetry ? Math.min(before.nextRunAt.getTime(), next) : next)
}
