import type { Directives, Telemetry, UpdateOrder } from '@haltless/protocol'
import type { Sql } from '../../../db/pools.ts'
import type { SubscriptionStatus } from '../../../db/subscriptions.ts'
import { Conflict } from '../../../support/errors.ts'
import { saveAgentReport } from '../../telemetry/polling/index.ts'
import { orderUpdate } from '../updates/index.ts'
import { storeGaps } from './gaps.ts'
import { latestOf, type VersionSettings, versionFlags } from './version.ts'

export interface HeartbeatSettings extends VersionSettings {
  heartbeatSeconds: number
}

/**
 * The growth of a buffer after a heartbeat, in bytes per hour: an exponentially weighted mean of the growths between heartbeats, whose
 * weight falls to 1/e in a quarter of an hour. It starts anew after 2 hours without a heartbeat; null without two sizes.
 */
const growth = (sql: Sql) => sql`(
  select case when hours > 0 and hours <= 2 and excluded.buffer_bytes is not null and agents.buffer_bytes is not null
    then coalesce(agents.buffer_bytes_per_hour, now_per_hour) * exp(-4 * hours) + now_per_hour * (1 - exp(-4 * hours)) end
  from (select hours, (excluded.buffer_bytes - agents.buffer_bytes) / nullif(hours, 0) as now_per_hour
    from (select extract(epoch from excluded.last_seen - agents.last_seen)::float8 / 3600 as hours) t) g)`

/**
 * The group that the enrolment key of an agent named, for its first heartbeat; null for any later one, and where the group is gone. The
 * credential in use keeps it, as the key may be deleted meanwhile. The lock lets no deletion of the group come before the insert.
 */
const groupOfNewAgent = (allTenants: Sql, tenantId: string, agentId: string) => allTenants`(
  select g.id from machine_groups g
  where g.tenant_id = ${tenantId} and g.id = (
      select k.group_id from api_keys k
      where k.tenant_id = ${tenantId} and k.agent_id = ${agentId} and k.is_active and k.activated_at is not null)
    and not exists (select from agents a where a.tenant_id = ${tenantId} and a.agent_id = ${agentId})
  for key share of g)`

const UNPAID: ReadonlySet<SubscriptionStatus> = new Set(['past_due', 'canceled'] as const)

/** What directives depend on beside the settings. */
export interface DirectivesFacts {
  /** of the tenant; `canceled` for a deleted one */
  status: SubscriptionStatus
  newestRelease: string | null
  /** the versions of batches that all hubs read */
  wireVersions: number[]
}

/** The directives for an agent of this version. */
export function directivesFor(
  settings: HeartbeatSettings,
  { status, newestRelease, wireVersions }: DirectivesFacts,
  agentVersion: string | undefined,
): Directives {
  const versions = latestOf(settings, newestRelease)
  return {
    status: UNPAID.has(status) ? 'payment_required' : 'ok',
    next_check_seconds: settings.heartbeatSeconds,
    latest_agent_version: versions.latestAgentVersion,
    min_supported_version: settings.minSupportedVersion,
    wire_versions: wireVersions,
    ...versionFlags(agentVersion, versions),
  }
}

/**
 * Records an agent's telemetry. An agent_id that another instance used within two heartbeats stays with that instance: this one
 * is refused, and the fleet shows the conflict. Gaps are stored before the response, which lets the agent delete them.
 * @param isAuthenticated whether the sender just showed a valid key: an MQTT session can outlive the release of its agent for a moment
 * @returns whether the agent needs its polling sources, a request to send rejected readings once more that it has not executed, and the update to
 * install
 * @throws Conflict for a second live instance
 */
export async function recordTelemetry(
  allTenants: Sql,
  tenantId: string,
  report: Telemetry,
  now: Date,
  heartbeatSeconds: number,
  isAuthenticated: boolean,
): Promise<{ wantsSources: boolean; requeueId: string | null; update: UpdateOrder | null }> {
  const holderUntil = new Date(now.getTime() - 2 * heartbeatSeconds * 1000)
  const row = {
    tenant_id: tenantId,
    agent_id: report.agent_id,
    agent_version: report.agent_version,
    uptime_seconds: report.uptime_seconds ?? null,
    clock_offset_ms: report.clock_offset_ms ?? null,
    buffer_count: report.buffer_count ?? null,
    buffer_age_hours: report.buffer_age_hours ?? null,
    buffer_bytes: report.buffer_bytes ?? null,
    buffer_capacity_bytes: report.buffer_capacity_bytes ?? null,
    collectors: allTenants.json(report.collectors ?? {}),
    collector_faults: allTenants.json((report.collector_faults ?? {}) as never),
    hostname: report.hostname ?? null,
    dropped_count: report.dropped_count ?? null,
    dead_letter_count: report.dead_letter_count ?? null,
    dead_letters: allTenants.json(report.dead_letters ?? []),
    missed_polls: allTenants.json(report.missed_polls ?? {}),
    source_clocks: allTenants.json(report.source_clocks ?? {}),
    update_report: report.update ? allTenants.json(report.update as never) : null,
    instance_id: report.instance_id ?? null,
    last_seen: now,
    created_at: now,
  }
  const executed = report.requeued ?? null
  const [admitted] = await allTenants<{ requeueId: string | null; rolloutId: string | null }[]>`
    insert into agents ${allTenants({ ...row, group_id: groupOfNewAgent(allTenants, tenantId, report.agent_id) } as never)}
    on conflict (tenant_id, agent_id) do update set
      agent_version = excluded.agent_version, uptime_seconds = excluded.uptime_seconds, clock_offset_ms = excluded.clock_offset_ms, buffer_count = excluded.buffer_count,
      buffer_age_hours = excluded.buffer_age_hours, buffer_bytes = excluded.buffer_bytes,
      buffer_capacity_bytes = excluded.buffer_capacity_bytes, buffer_bytes_per_hour = ${growth(allTenants)}, collectors = excluded.collectors, collector_faults = excluded.collector_faults, hostname = excluded.hostname,
      dropped_count = excluded.dropped_count, dead_letter_count = excluded.dead_letter_count, dead_letters = excluded.dead_letters, missed_polls = excluded.missed_polls, source_clocks = excluded.source_clocks, update_report = excluded.update_report,
      requeue_id = nullif(agents.requeue_id, ${executed}),
      requeue_requested_at = case when agents.requeue_id = ${executed} then null else agents.requeue_requested_at end,
      instance_id = coalesce(excluded.instance_id, agents.instance_id), last_seen = excluded.last_seen,
      released_at = case when ${isAuthenticated} then null else agents.released_at end, retired_at = null
    where agents.instance_id is null or excluded.instance_id is null or agents.instance_id = excluded.instance_id
      or agents.last_seen <= ${holderUntil}
    returning requeue_id as "requeueId", rollout_id as "rolloutId"`
  if (admitted) {
    await storeGaps(allTenants, tenantId, report.agent_id, report, now)
    const wantsSources = !!report.sources && (await saveAgentReport(allTenants, tenantId, report.agent_id, report.sources, now))
    const { requeueId, rolloutId } = admitted
    const update = rolloutId && (await orderUpdate(allTenants, { tenantId, rolloutId }, report.agent_id, report.update, now))
    return { wantsSources, requeueId, update: update || null }
  }
  await allTenants`update agents set conflict_at = ${now}, conflict_hostname = ${report.hostname ?? null} where tenant_id = ${tenantId} and agent_id = ${report.agent_id}`
  throw new Conflict(
    'agent_id_in_use',
    `Another agent is running as ${report.agent_id}. Give this one an agent_id of its own, or stop the other and wait ${2 * heartbeatSeconds} s.`,
  )
}
