import type { PendingQuery, Row } from 'postgres'
import type { Sql, TransactionSql } from '../../../db/pools.ts'
import { newestOfMachine } from '../../../readings/index.ts'

/** A machine to analyze. */
export interface DueMachine {
  tenantId: string
  machineId: string
}

/** Alerts, anomalies and downtime that were stored this long before an analysis may have been uncommitted when it read. */
const OVERLAP = '60 seconds'
/** Changes older than this were followed by an analysis of the new hour or day. */
const RECENT_MS = 15 * 60_000
const HOUR_MS = 3_600_000
/** Machines that one statement answers, and claims to examine. */
const [PORTION, EXAMINED] = [100, 500]

/**
 * The machines whose data have changed since their analysis, longest ago first: a new hour with readings, a new day, or an alert,
 * anomaly or downtime record that was stored or changed. A machine without any data is never due. `machines.analysis_due_at`
 * is when a machine is examined next: {@link nextExamination} says when, and the first reading of a silent machine makes it due at once.
 * @param failed machines that this run could not analyze; they would hide the others
 */
export async function dueMachines(allTenants: Sql, now: Date, failed: string[]): Promise<DueMachine[]> {
  for (;;) {
    const rows = await examine(allTenants, now, failed)
    const due = rows.flatMap(({ tenantId, machineId }) => (tenantId && machineId ? [{ tenantId, machineId }] : []))
    if (due.length > 0 || (rows[0]?.examined ?? 0) < EXAMINED) return due
  }
}

/** Examines the machines that changes concern, and those whose examination is due. Defers the latter when they need no analysis. */
function examine(allTenants: Sql, now: Date, failed: string[]) {
  const since = new Date(now.getTime() - RECENT_MS)
  // no examination is that far away, so a clock was ahead
  const ahead = new Date(now.getTime() + 2 * HOUR_MS)
  const hour = allTenants`date_trunc('hour', ${now}::timestamptz, 'UTC')`
  return allTenants<{ tenantId: string | null; machineId: string | null; examined: number }[]>`
    with changed as materialized (
      select distinct on (c.tenant_id, c.machine_id) c.tenant_id, c.machine_id, c.at from (
        select a.tenant_id, a.machine_id, a.created_at as at from alerts a where a.created_at >= ${since}
        union all
        select a.tenant_id, a.machine_id, a.cleared_at from alerts a where a.cleared_at >= ${since}
        union all
        -- the ids are ordered by time; their first 48 bits are the milliseconds
        select e.tenant_id, e.machine_id, e.created_at from anomaly_events e where e.id >= ${firstIdSince(since)}::uuid
        union all
        select d.tenant_id, d.machine_id, d.updated_at from downtime_records d where d.updated_at >= ${since}
      ) c
      order by c.tenant_id, c.machine_id, c.at desc
    ), waiting as materialized (
      select m.ctid as place, m.tenant_id, m.id from machines m
      where m.is_active and m.analysis_due_at <= ${now} and m.id <> all(${failed}::uuid[])
      order by m.analysis_due_at limit ${EXAMINED} for no key update skip locked
    ), misdated as materialized (
      select m.ctid as place, m.tenant_id, m.id from machines m
      where m.is_active and m.analysis_due_at > ${ahead} and m.id <> all(${failed}::uuid[])
      order by m.analysis_due_at desc limit ${EXAMINED} for no key update skip locked
    ), claimed as (
      select * from waiting union all select * from misdated
    ), examined as materialized (
      select e.place, e.tenant_id, e.id, n.newest, p.read_until, p.analyzed_at, case
        when p.analyzed_at is null then e.changed_at is not null or n.newest is not null
        else p.analyzed_at < date_trunc('day', ${now}::timestamptz, 'UTC') or p.analyzed_at > ${ahead} or coalesce(e.changed_at > p.analyzed_at - ${OVERLAP}::interval, false)
          or coalesce(date_trunc('hour', n.newest, 'UTC') > coalesce(p.read_until, '-infinity'), false) end as is_due
      from (
        select place, tenant_id, id, null::timestamptz as changed_at from claimed
        union all
        select null, c.tenant_id, c.machine_id, c.at from changed c
        cross join lateral (
          select from machines m where m.tenant_id = c.tenant_id and m.id = c.machine_id and m.is_active and m.id <> all(${failed}::uuid[]) limit 1) m
      ) e
      left join lateral (
        select p.analyzed_at, p.read_until from machine_predictions p where p.tenant_id = e.tenant_id and p.machine_id = e.id limit 1) p on true
      left join lateral (
        -- the newest reading is decoded only where this hour has not been read yet
        select (${newestOfMachine(allTenants, allTenants`e.tenant_id`, allTenants`e.id`)}) as newest
        where coalesce(p.read_until, '-infinity') < ${hour}) n on true
    ), deferred as (
      update machines m set analysis_due_at = ${nextExamination(allTenants, now, allTenants`e.newest`)}
      from examined e where m.ctid = e.place and not e.is_due
    ), due as (
      select tenant_id, id from examined where is_due group by tenant_id, id order by min(analyzed_at) nulls first limit ${PORTION}
    )
    select (select count(*)::int from claimed) as examined, due.tenant_id as "tenantId", due.id as "machineId"
    from (select) one left join due on true`
}

/**
 * When a machine is examined next, as SQL: a minute after the next hour has begun, when its readings have been analyzed; in five minutes,
 * while readings of this hour are expected; about an hour later, when it is silent. Readings that arrive late are found then.
 * @param newest of a machine that needs no analysis now; null also when this hour has been read
 */
export const nextExamination = (sql: Sql | TransactionSql, now: Date, newest: PendingQuery<Row[]> | null) => {
  const nextHour = sql`date_trunc('hour', ${now}::timestamptz, 'UTC') + interval '61 minutes'`
  if (newest === null) return nextHour
  return sql`case when ${newest} >= ${new Date(now.getTime() - HOUR_MS)} then ${now}::timestamptz + interval '5 minutes'
    else ${now}::timestamptz + interval '50 minutes' + random() * interval '20 minutes' end`
}

/** The smallest time-ordered id (RFC 9562, version 7) of an instant. */
function firstIdSince(at: Date): string {
  const ms = at.getTime().toString(16).padStart(12, '0')
  return `${ms.slice(0, 8)}-${ms.slice(8)}-7000-8000-000000000000`
}
