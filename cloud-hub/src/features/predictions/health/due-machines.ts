import type { Sql } from '../../../db/pools.ts'
import { newestOfMachine } from '../../telemetry/readings/index.ts'

/** A machine to analyze. */
export interface DueMachine {
  tenantId: string
  machineId: string
}

/** Alerts, anomalies and downtime that were stored this long before an analysis may have been uncommitted when it read. */
const OVERLAP = '60 seconds'
/** Changes older than this were followed by an analysis of the new hour or day. */
const RECENT_MS = 15 * 60_000
/** Machines that one statement answers. */
const PORTION = 100

/**
 * The machines whose data have changed since their analysis, longest ago first: a new hour with readings, a new day, or an alert,
 * anomaly or downtime record that was stored or changed. A machine without any data is never due.
 * @param failed machines that this run could not analyze; they would hide the others
 */
export async function dueMachines(allTenants: Sql, now: Date, failed: string[]): Promise<DueMachine[]> {
  const since = new Date(now.getTime() - RECENT_MS)
  const newest = newestOfMachine(allTenants, allTenants`m.tenant_id`, allTenants`m.id`)
  return allTenants<DueMachine[]>`
    with changed as materialized (
      select distinct on (c.tenant_id, c.machine_id) c.tenant_id, c.machine_id, c.at
      from tenants t cross join lateral (
        select a.tenant_id, a.machine_id, a.created_at as at from alerts a where a.tenant_id = t.id and a.created_at >= ${since}
        union all
        select a.tenant_id, a.machine_id, a.cleared_at from alerts a where a.tenant_id = t.id and a.cleared_at >= ${since}
        union all
        -- the ids are ordered by time; their first 48 bits are the milliseconds
        select e.tenant_id, e.machine_id, e.created_at from anomaly_events e
        where e.tenant_id = t.id and e.id >= ${firstIdSince(since)}::uuid
        union all
        select d.tenant_id, d.machine_id, d.updated_at from downtime_records d where d.tenant_id = t.id and d.updated_at >= ${since}
      ) c
      order by c.tenant_id, c.machine_id, c.at desc
    )
    select m.tenant_id as "tenantId", m.id as "machineId"
    from machines m
    left join machine_predictions p on p.tenant_id = m.tenant_id and p.machine_id = m.id
    left join changed c on c.tenant_id = m.tenant_id and c.machine_id = m.id
    where m.is_active and m.id <> all(${failed}::uuid[]) and case
      when p.analyzed_at is null then c.machine_id is not null or (${newest}) is not null
      else p.analyzed_at < date_trunc('day', ${now}::timestamptz, 'UTC')
        or c.at > p.analyzed_at - ${OVERLAP}::interval
        -- the newest reading is decoded only where this hour has not been read yet
        or case when coalesce(p.read_until, '-infinity') < date_trunc('hour', ${now}::timestamptz, 'UTC')
          then date_trunc('hour', (${newest}), 'UTC') > coalesce(p.read_until, '-infinity') else false end end
    order by p.analyzed_at nulls first limit ${PORTION}`
}

/** The smallest time-ordered id (RFC 9562, version 7) of an instant. */
function firstIdSince(at: Date): string {
  const ms = at.getTime().toString(16).padStart(12, '0')
  return `${ms.slice(0, 8)}-${ms.slice(8)}-7000-8000-000000000000`
}
