import { type Fault, fault, type MissedPollCounts, type SourceClock } from '@haltless/protocol'
import type { ReadingBuffer } from '../buffer/buffer.ts'
import { type CollectorStatus, statusText } from '../collectors/collector.ts'
import type { TelemetryParts } from '../heartbeat/telemetry.ts'
import { faultBudget } from '../support/fault-budget.ts'

/** Maximum collector states in one heartbeat. */
const MAX_COLLECTORS = 200
const WARNINGS = '(agent)'

/** What a heartbeat reports of the collectors, and of the disk and this computer beside them. */
export const collectorReport = (
  statuses: Record<string, CollectorStatus>,
  disk: ReadingBuffer['fault'],
  warnings: readonly string[],
): Pick<TelemetryParts, 'collectors' | 'collectorFaults' | 'missedPolls' | 'sourceClocks'> => ({
  ...statusReport(statuses, diskFault(disk), warnings),
  missedPolls: missedPollsOf(statuses),
  sourceClocks: sourceClocksOf(statuses),
})

/**
 * The status of each collector as a text, and what is wrong with it as a fault. Warnings use the entry {@link WARNINGS}, because every
 * hub version shows these texts in its fleet view.
 */
function statusReport(
  statuses: Record<string, CollectorStatus>,
  disk: Fault | null,
  more: readonly string[],
): { collectors: Record<string, string>; collectorFaults: Record<string, Fault> } {
  const warnings = [...(disk ? [disk.detail] : []), ...more]
  const own = warnings.length > 0 ? [[WARNINGS, `warning: ${warnings.join('; ')}`.slice(0, 1_000)]] : []
  const named = Object.entries(statuses)
  const texts = named.map(([name, status]) => [name, statusText(status)])
  const fits = faultBudget()
  const faults = [[WARNINGS, disk] as const, ...named.map(([name, status]) => [name, status.fault] as const)]
  return {
    collectors: Object.fromEntries([...own, ...texts].slice(0, MAX_COLLECTORS)),
    collectorFaults: Object.fromEntries(
      faults.flatMap(([name, found]) => (found && fits(found) ? [[name, found]] : [])).slice(0, MAX_COLLECTORS),
    ),
  }
}

/** Those of the collectors that missed any. */
function missedPollsOf(statuses: Record<string, CollectorStatus>): Record<string, MissedPollCounts> {
  const missed = Object.entries(statuses).map(([name, { missedPolls }]) => [name, missedPolls] as const)
  return Object.fromEntries(missed.filter(([, { skipped, failed }]) => skipped + failed > 0).slice(0, MAX_COLLECTORS))
}

function sourceClocksOf(statuses: Record<string, CollectorStatus>): Record<string, SourceClock> {
  const clocks = Object.entries(statuses).flatMap(([name, { sourceClock }]) => {
    if (!sourceClock) return []
    const { aheadMs, isUsed, isExact } = sourceClock
    return [[name, { ahead_ms: aheadMs, is_used: isUsed, is_exact: isExact }] as const]
  })
  return Object.fromEntries(clocks.slice(0, MAX_COLLECTORS))
}

function diskFault(found: ReadingBuffer['fault']): Fault | null {
  if (!found) return null
  const { reason, isKeptInMemory } = found
  return isKeptInMemory ? fault('disk_accepts_no_write_in_memory', { reason }) : fault('disk_accepts_no_write', { reason })
}
