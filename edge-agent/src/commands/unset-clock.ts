import type { ProbeResult } from '../collectors/collector.ts'
import type { Finding } from './findings.ts'

/** Clocks that were never set count from an epoch before this: 1970, 1980, or 1601 over OPC UA. */
const FIRST_TIME = Date.UTC(1990, 0, 1)

/**
 * The finding about a device whose clock was never set, by the time that it has and by the dates of its readings; null: it was set.
 * @param now of this computer, Unix ms
 */
export function unsetClock(
  name: string,
  { clockAheadMs, readings }: Pick<ProbeResult, 'clockAheadMs' | 'readings'>,
  now: number,
): Finding | null {
  const failed = (said: string): Finding => ({
    what: 'clock',
    result: 'FAIL',
    words: `the clock of ${name} was never set: ${said}; set it, and let it follow a time server`,
    lines: [],
  })
  if (clockAheadMs !== null && now + clockAheadMs < FIRST_TIME) return failed(`it is at ${shown(now + clockAheadMs)}`)
  const first = readings.find(({ timestamp }) => timestamp < FIRST_TIME)
  return first ? failed(`${first.metric} has the time ${shown(first.timestamp)}`) : null
}

const shown = (at: number): string => `${new Date(at).toISOString().slice(0, 19)}Z`
