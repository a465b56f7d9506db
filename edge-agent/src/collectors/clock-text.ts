import { type Fault, fault } from '@haltless/protocol'
import type { CollectorSource, SourceClockStatus } from './collector.ts'
import { type ClockSettings, isWithinLimits } from './source-clock.ts'

/** Clocks that differ by less agree. */
const AGREE_MS = 2_000
/** Values may be so late on their way without a mention. */
const LATE_MS = 60_000

const DAY_MS = 86_400_000
/** Whether a difference is said in days. */
const isInDays = (ms: number): boolean => Math.round(Math.abs(ms) / 1_000) >= 172_800

/** A difference of clocks, rounded to what a person compares: seconds, minutes, hours or days. */
export function offsetText(ms: number): string {
  const seconds = Math.round(Math.abs(ms) / 1_000)
  if (seconds < 120) return `${seconds} s`
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`
  return isInDays(ms) ? `${Math.round(seconds / 86_400)} days` : `${Math.round(seconds / 3_600)} h`
}

/** What a person should know of the clock of a running source; '' where that is nothing. */
export function clockText({ aheadMs, isUsed, isExact }: SourceClockStatus): string {
  if (Math.abs(aheadMs) < (isExact ? AGREE_MS : LATE_MS)) return ''
  const offset = offsetText(aheadMs)
  const what = isExact ? `its clock is ${offset} ${aheadMs > 0 ? 'ahead' : 'behind'}` : `its timestamps come ${offset} late`
  return `${what}: ${isUsed ? 'its readings carry that time' : 'the agent dates its readings'}`
}

/** What becomes of the readings of a source whose clock is off by so much, as the end of a sentence. */
export function clockConsequence(source: CollectorSource, aheadMs: number): string {
  const settings = source.config as Partial<ClockSettings>
  const agentDates = 'its readings get the time at which they are read'
  if (settings.timestamps === 'agent') return `; ${agentDates}, because timestamps is agent`
  if (isWithinLimits(settings, aheadMs, source.protocol === 'file'))
    return `, and so are its readings${settings.timestamps ? `, because timestamps is ${settings.timestamps}` : ''}`
  if (settings.timestamps) return `, which the hub would reject, so ${agentDates}`
  return `, so ${agentDates}`
}

/** What is wrong with the clock of a running source, and its remedy; null: nothing, or a setting says whose time counts. */
export function clockProblem(source: CollectorSource, clock: SourceClockStatus | undefined): Fault | null {
  const { timestamps, max_clock_offset_seconds: seconds = 0 } = source.config as Partial<ClockSettings>
  // From half of the limit on, one that was wrong counts as right. A clock that is slightly ahead is no fault.
  if (timestamps || !clock || clock.isUsed || Math.abs(clock.aheadMs) < seconds * 500) return null
  const offset = offsetText(clock.aheadMs)
  const days = Math.round(Math.abs(clock.aheadMs) / DAY_MS)
  if (isInDays(clock.aheadMs))
    return clock.aheadMs > 0 ? fault('clock_days_ahead', { days }) : fault('clock_days_behind', { days })
  return clock.aheadMs > 0 ? fault('clock_ahead', { offset }) : fault('clock_behind', { offset })
}
