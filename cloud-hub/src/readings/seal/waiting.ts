import { HOUR_MS, MINUTE_MS } from './limits.ts'

/** A machine or a group of series with readings to move. All instants are Unix ms of the hub's clock. */
export interface Waiting {
  readings: number
  oldestAt: number | null
  /** since when its readings have had to be moved */
  dueSince: number | null
  failures: number
  retryAt: number
}

/** What another process works on waits for this long. */
const BUSY_MS = 30_000
const [RETRY_MS, MAX_RETRY_MS] = [MINUTE_MS, HOUR_MS]

/** Another process works on it. */
export function waitWhileBusy(one: Waiting, now: Date): void {
  one.dueSince = null
  one.retryAt = now.getTime() + BUSY_MS
}

/** What fails waits longer each time, and the others go on. */
export function waitAfterFailure(one: Waiting, now: Date): void {
  one.retryAt = now.getTime() + Math.min(MAX_RETRY_MS, RETRY_MS * 2 ** one.failures++)
}

/** Readings, the oldest one, and for how many seconds the longest waiting one has been due. */
export function figuresOf(
  all: Iterable<Waiting>,
  now: Date,
): { readings: number; oldestAt: number | null; behindSeconds: number } {
  let [readings, oldestAt, dueSince] = [0, Number.POSITIVE_INFINITY, now.getTime()]
  for (const one of all) {
    readings += one.readings
    oldestAt = Math.min(oldestAt, one.oldestAt ?? Number.POSITIVE_INFINITY)
    dueSince = Math.min(dueSince, one.dueSince ?? Number.POSITIVE_INFINITY)
  }
  return {
    readings,
    oldestAt: Number.isFinite(oldestAt) ? oldestAt : null,
    behindSeconds: (now.getTime() - dueSince) / 1_000,
  }
}
