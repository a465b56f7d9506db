import type { UpdateReport } from '@haltless/protocol'
import type { Agent } from '../agent.ts'
import { clockText } from '../collectors/clock-text.ts'
import type { BadTag, CollectorState } from '../collectors/collector.ts'
import type { AgentConfig } from '../settings/schema.ts'
import { AGENT_VERSION } from '../support/version.ts'
import type { BufferForecast } from './buffer-forecast.ts'
import type { ErrorLog, LoggedError } from './error-log.ts'
import type { NewestValues } from './newest-values.ts'

/** What the local page and `status --watch` show. Times are Unix ms by the clock of this computer unless said otherwise. */
export interface Overview {
  now: number
  agent_id: string
  version: string
  started_at: number
  hub: { url: string; detail: string; last_answer_at: number | null }
  uplink: { state: string; via: string | null; detail: string; last_receipt_at: number | null; stored: number }
  buffer: {
    readings: number
    /** how long the oldest reading has waited, ms; null when there is none */
    age_ms: number | null
    used_bytes: number
    capacity_bytes: number
    /** null: it does not grow */
    full_in_hours: number | null
    dropped: number
    dead_letters: number
    fault: string | null
  }
  collectors: {
    name: string
    state: CollectorState
    detail: string
    /** ms ago, by the clock that dates readings; null before the first */
    last_read_ago_ms: number | null
    readings: number
    missed_polls: number
    tags: number
    bad_tags: number
    /** what a person should know of the clock of its source; '' where that is nothing */
    clock: string
  }[]
  tags: OverviewTag[]
  /** tags beyond {@link TAGS_MAX} that are not listed */
  tags_left_out: number
  errors: LoggedError[]
  update: UpdateReport
}

/** A tag with its newest value; null and a reason where it gives none now. */
export interface OverviewTag {
  collector: string
  machine: string | null
  metric: string
  unit: string | null
  raw_tag: string | null
  value: number | null
  /** ms ago, by the clock that dates readings */
  ago_ms: number | null
  /** why the last poll gave no good value; null: it did */
  fault: string | null
}

/** A page with more lines is of no use to a person. */
const TAGS_MAX = 2_000

interface Sources {
  config: AgentConfig
  agent: Agent
  values: NewestValues
  errors: ErrorLog
  forecast: BufferForecast
  startedAt: number
}

/** @param now Unix ms */
export function overviewOf({ config, agent, values, errors, forecast, startedAt }: Sources, now: number): Overview {
  const { readingClock, uplink, hub, collectors, update, buffer } = agent.status()
  const { stats, capacityBytes } = agent.bufferUse()
  const ago = (at: number | null) => (at === null ? null : Math.max(0, readingClock.now - at))
  const names = Object.keys(collectors)
  const bad = new Map<string, BadTag & { collector: string }>(
    Object.entries(collectors).flatMap(([collector, { badTags }]) =>
      badTags.map((tag) => [`${collector}\0${tag.rawTag}\0${tag.metric}`, { collector, ...tag }] as const),
    ),
  )
  const tags = values.of(names).map(({ collector, machine, metric, unit, rawTag, value, at }): OverviewTag => {
    const key = `${collector}\0${rawTag}\0${metric}`
    const fault = bad.get(key)?.reason ?? null
    bad.delete(key)
    return { collector, machine, metric, unit, raw_tag: rawTag, value, ago_ms: ago(at), fault }
  })
  const never = [...bad.values()].map(({ collector, rawTag, metric, reason }): OverviewTag => {
    return { collector, machine: null, metric, unit: null, raw_tag: rawTag, value: null, ago_ms: null, fault: reason }
  })
  const all = [...never, ...tags]
  const countOf = (name: string) => all.filter(({ collector }) => collector === name).length
  return {
    now,
    agent_id: config.agentId,
    version: AGENT_VERSION,
    started_at: startedAt,
    hub: { url: config.hub.url, detail: hub.detail, last_answer_at: hub.lastAnswerAt },
    uplink: {
      state: uplink.state,
      via: uplink.via,
      detail: uplink.detail,
      last_receipt_at: uplink.lastReceiptAt,
      stored: uplink.storedTotal,
    },
    buffer: {
      readings: stats.buffered,
      age_ms: stats.oldestAt === null ? null : Math.max(0, readingClock.now + (readingClock.offsetMs ?? 0) - stats.oldestAt),
      used_bytes: stats.usedBytes,
      capacity_bytes: capacityBytes,
      full_in_hours: forecast.hoursUntilFull(stats.usedBytes, capacityBytes),
      dropped: stats.dropped,
      dead_letters: stats.deadLetters,
      fault: buffer.fault?.reason ?? null,
    },
    collectors: Object.entries(collectors).map(([name, status]) => ({
      name,
      state: status.state,
      detail: status.detail,
      last_read_ago_ms: ago(status.lastReadAt),
      readings: status.readingsTotal,
      missed_polls: status.missedPolls.skipped + status.missedPolls.failed,
      tags: countOf(name),
      bad_tags: status.badTags.length,
      clock: status.sourceClock ? clockText(status.sourceClock) : '',
    })),
    tags: all.slice(0, TAGS_MAX),
    tags_left_out: Math.max(0, all.length - TAGS_MAX),
    errors: errors.list(),
    update,
  }
}
