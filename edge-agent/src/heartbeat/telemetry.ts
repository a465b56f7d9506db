import { hostname } from 'node:os'
import type {
  AgentSourcesReport,
  DeadLetterGroup,
  Fault,
  MissedPollCounts,
  SourceClock,
  Telemetry,
  UpdateReport,
} from '@haltless/protocol'
import type { GapReport } from '../buffer/gaps.ts'
import type { BufferStats } from '../buffer/stats.ts'
import { AGENT_VERSION } from '../support/version.ts'

export interface TelemetryParts {
  agentId: string
  instanceId: string
  uptimeSeconds: number
  /** null: not measured yet */
  clockOffsetMs: number | null
  stats: BufferStats
  /** bytes that the buffer can use on disk */
  capacityBytes: number
  /** Unix ms */
  now: number
  /** collector name to its status in words */
  collectors: Record<string, string>
  /** by collector, where something is wrong */
  collectorFaults: Record<string, Fault>
  sources: AgentSourcesReport
  gaps: GapReport
  /** by collector */
  missedPolls: Record<string, MissedPollCounts>
  /** by collector, where a source has a clock */
  sourceClocks: Record<string, SourceClock>
  deadLetters: DeadLetterGroup[]
  /** the newest request to requeue dead letters that was executed */
  requeued: string | null
  update: UpdateReport
}

/** The body of a heartbeat. */
export function telemetryOf({
  agentId,
  instanceId,
  uptimeSeconds,
  clockOffsetMs,
  stats,
  capacityBytes,
  now,
  collectors,
  collectorFaults,
  sources,
  gaps,
  missedPolls,
  sourceClocks,
  deadLetters,
  requeued,
  update,
}: TelemetryParts): Telemetry {
  const ageMs = stats.oldestAt === null ? 0 : Math.max(0, now - stats.oldestAt)
  return {
    agent_id: agentId,
    instance_id: instanceId,
    agent_version: AGENT_VERSION,
    hostname: hostname().slice(0, 255),
    uptime_seconds: Math.floor(uptimeSeconds),
    ...(clockOffsetMs !== null && { clock_offset_ms: clockOffsetMs }),
    buffer_count: stats.buffered,
    buffer_age_hours: Math.round((ageMs / 3_600_000) * 1_000) / 1_000,
    buffer_bytes: stats.usedBytes,
    buffer_capacity_bytes: capacityBytes,
    dead_letter_count: stats.deadLetters,
    dropped_count: stats.dropped,
    collectors,
    sources,
    update,
    ...(Object.keys(collectorFaults).length > 0 && { collector_faults: collectorFaults }),
    ...(Object.keys(missedPolls).length > 0 && { missed_polls: missedPolls }),
    ...(Object.keys(sourceClocks).length > 0 && { source_clocks: sourceClocks }),
    ...(gaps.dropped.length > 0 && { gaps: gaps.dropped }),
    ...(gaps.missed.length > 0 && { missed: gaps.missed }),
    ...(deadLetters.length > 0 && { dead_letters: deadLetters }),
    ...(requeued && { requeued }),
  }
}
