import { versionedBy } from '../../../support/http/record-version.ts'
import type { z } from '../../../support/http/z.ts'
import { faultOfText } from '../../plant/faults/index.ts'
import type { HeartbeatSettings } from './heartbeat.ts'
import type { listAgents } from './repository.ts'
import { AgentPatch, type FleetQuery } from './schemas.ts'
import { versionFlags } from './version.ts'

type AgentRow = Awaited<ReturnType<typeof listAgents>>[number]

const withVersion = versionedBy(AgentPatch)
/** An agent as the API shows it. */
export const presentAgent = (row: AgentRow, settings: HeartbeatSettings, now: Date) =>
  withVersion({
    agent_id: row.agentId,
    group_id: row.groupId,
    group_name: row.groupName,
    agent_version: row.agentVersion,
    uptime_seconds: row.uptimeSeconds,
    clock_offset_ms: row.clockOffsetMs,
    buffer_count: row.bufferCount,
    buffer_age_hours: row.bufferAgeHours,
    buffer_bytes: row.bufferBytes,
    buffer_capacity_bytes: row.bufferCapacityBytes,
    buffer_full_in_hours: hoursUntilFull(row),
    collectors: row.collectors,
    collector_faults: currentFaults(row),
    hostname: row.hostname,
    dropped_count: row.droppedCount,
    dead_letter_count: row.deadLetterCount,
    dead_letters: row.deadLetters,
    missed_polls: row.missedPolls,
    missed_poll_count: Object.values(row.missedPolls).reduce((sum, { skipped, failed }) => sum + skipped + failed, 0),
    source_clocks: row.sourceClocks,
    requeue_requested_at: row.requeueRequestedAt?.toISOString() ?? null,
    last_seen: row.lastSeen.toISOString(),
    online: row.lastSeen.getTime() > now.getTime() - 2 * settings.heartbeatSeconds * 1_000,
    ...versionFlags(row.agentVersion, settings),
    conflict_at: row.conflictAt?.toISOString() ?? null,
    conflict_hostname: row.conflictHostname,
    credential: row.credential,
    update: presentUpdate(row),
    retired_at: row.retiredAt?.toISOString() ?? null,
    sources: row.sources
      ? {
          revision: row.sources.revision,
          running_revision: row.sources.runningRevision,
          fault: row.sources.fault,
          revision_fault: faultOfText(row.sources.revisionFault, row.sources.fault),
        }
      : null,
  })
/** A hub of an older version writes the texts of collectors alone: a fault counts while it is of the text. */
const currentFaults = ({ collectors, collectorFaults }: AgentRow) =>
  Object.fromEntries(
    Object.entries(collectorFaults).filter(([name, { detail }]) => collectors[name]?.includes(detail.slice(0, COMPARED_CHARS))),
  )
/** A text is cut after 1,000 characters, and its state stands before the fault. */
const COMPARED_CHARS = 900

function presentUpdate({ updateReport }: AgentRow) {
  if (!updateReport) return null
  const { accepts, why_not, why_not_fault, window, platform, version, state, at, reason, fault } = updateReport
  const told = { platform, why_not, why_not_fault, window, version, state, at, reason, fault }
  return {
    accepts,
    ...(Object.fromEntries(Object.entries(told).map(([name, value]) => [name, value ?? null])) as Nullable<typeof told>),
  }
}
type Nullable<T> = { [K in keyof T]: Exclude<T[K], undefined> | null }

type PresentedAgent = ReturnType<typeof presentAgent>

/**
 * The space left over its growth, to a tenth of an hour; null for a buffer that does not grow. A full one has 0, although it no longer
 * grows: it drops as much as comes in.
 */
function hoursUntilFull({ bufferBytes, bufferCapacityBytes, bufferBytesPerHour }: AgentRow): number | null {
  if (bufferBytes === null || bufferCapacityBytes === null) return null
  if (bufferBytes >= bufferCapacityBytes) return 0
  if (bufferBytesPerHour === null || bufferBytesPerHour <= 0) return null
  return Math.round((10 * (bufferCapacityBytes - bufferBytes)) / bufferBytesPerHour) / 10
}

/** The agents that match, in order; of equal ones by `agent_id`. A tenant has hundreds of agents, so this needs no SQL. */
export function selectAgents(agents: readonly PresentedAgent[], query: z.output<typeof FleetQuery>): PresentedAgent[] {
  const { search, online, update_available, unsupported, has_faults, credential, retired, sort_by, sort_dir } = query
  const text = search?.toLowerCase() ?? ''
  const matches = (agent: PresentedAgent) =>
    [agent.agent_id, agent.hostname ?? '', ...Object.keys(agent.collectors)].some((name) => name.toLowerCase().includes(text)) &&
    (online ?? agent.online) === agent.online &&
    (update_available ?? agent.update_available) === agent.update_available &&
    (unsupported ?? agent.unsupported) === agent.unsupported &&
    (has_faults ?? hasFaults(agent)) === hasFaults(agent) &&
    (credential ?? agent.credential) === agent.credential &&
    retired === (agent.retired_at !== null)
  const sign = sort_dir === 'asc' ? 1 : -1
  return agents.filter(matches).sort((a, b) => {
    const [x, y] = [a[sort_by], b[sort_by]]
    if (x === null || y === null) return Number(x === null) - Number(y === null)
    const order = typeof x === 'number' ? x - (y as number) : x.localeCompare(y as string, 'en', { numeric: true })
    return sign * order || (a.agent_id < b.agent_id ? -1 : 1)
  })
}

const hasFaults = ({ collectors }: PresentedAgent) => Object.values(collectors).some((status) => status !== 'running')
