import type { CollectorClock } from './collector.ts'

/** A hub that can be reached answers sooner. Without one, sources that can be read again are read all the same. */
const WAIT_MAX_MS = 30_000
const POLL_INTERVAL_MS = 50

/**
 * Waits until the right time is known, at most half a minute: for sources that wait to be read, and whose readings keep the time that they
 * got. Before it is known, a timestamp that is ahead cannot be told from a right one on a computer whose clock is behind.
 */
export async function rightTimeKnown(clock: CollectorClock, signal: AbortSignal): Promise<void> {
  const until = clock.monotonic() + WAIT_MAX_MS
  while (clock.offsetMs === null && clock.monotonic() < until && !signal.aborted) await clock.sleep(POLL_INTERVAL_MS, signal)
}
