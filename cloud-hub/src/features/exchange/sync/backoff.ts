const MINUTE_MS = 60_000
/** Waiting times after the failures of a record; the last one repeats. */
const RECORD_MINUTES = [1, 5, 15, 60, 360] as const
/** Runs in a row without a usable ERP, after which the circuit breaker opens. */
const FAILURES_TO_OPEN = 3
const MAX_OPEN_MINUTES = 60

/**
 * When a record is sent again after a failure. Up to a tenth is added, so that records that failed at one moment do not all return
 * at one moment.
 * @param failures in a row, from 1
 */
export function nextAttempt(failures: number, now: Date, random: () => number = Math.random): Date {
  const minutes = RECORD_MINUTES[Math.min(failures, RECORD_MINUTES.length) - 1] ?? 1
  return new Date(now.getTime() + minutes * MINUTE_MS * (1 + random() / 10))
}

/**
 * Until when the circuit breaker is open after runs in a row without a usable ERP: a minute after the third, then twice as long
 * after each trial, up to an hour. Null: it is closed.
 */
export function breakerOpenUntil(failures: number, now: Date): Date | null {
  if (failures < FAILURES_TO_OPEN) return null
  return new Date(now.getTime() + Math.min(MAX_OPEN_MINUTES, 2 ** (failures - FAILURES_TO_OPEN)) * MINUTE_MS)
}
