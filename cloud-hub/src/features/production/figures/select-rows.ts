import type { TransactionSql } from '../../../db/pools.ts'
import { downtimeMs, sumsOfReliability } from '../downtime/index.ts'
import { divide, type Fragment, joinBounds, joinPeriods } from './divide.ts'
import type { Spans } from './spans.ts'
import type { Windows } from './window.ts'

/** Where rows come from. */
interface Source {
  sql: TransactionSql
  tenantId: string
  windows: Windows
  /** what they are summed by: their machine, or one for all */
  unit: Fragment
  /** the condition that a row is of a machine of the query, or of any where the sums of others are dropped afterwards */
  isWanted: Fragment
}

/** Midnight of UTC. */
const midnight = (sql: TransactionSql, date: string) => sql`${new Date(`${date}T00:00:00Z`)}::timestamptz`

/** The condition that a row of `downtime_figures` has time that `downtime_rollups` leaves out; the index of such rows has the same. */
const isLong = (sql: TransactionSql) => sql`ended_at - attributed_from > interval '7 days'`

/** Selects sums of time: `unit`, `period`, `ms`, with the columns of {@link selectEvents} at zero. */
function selectTime({ sql, tenantId, windows, unit, isWanted }: Source, start: Fragment, end: Fragment, condition: Fragment) {
  const { from, until, isAfter, isBefore, joined } = divide(sql, windows)
  return sql`
    select ${unit} as unit, ${joined.period} as period, ${downtimeMs(sql, start, end)} as ms, 0 as records, 0 as repairs, 0::float8 as "repairMs",
      0 as failures, 0 as intervals, 0::float8 as "uptimeMs"
    from downtime_figures ${joinBounds(sql, windows)} ${joinPeriods(sql, windows)}
    where tenant_id = ${tenantId} and ${isWanted} and ended_at > ${from} and attributed_from < ${until} and ${isAfter(sql`ended_at`)}
      and ${isBefore(sql`attributed_from`)} and ${condition}
    group by 1, 2`
}

/** Selects sums of the records that started in a range. */
function selectEvents({ sql, tenantId, windows, unit, isWanted }: Source, start: Fragment, end: Fragment) {
  const { isAfter, isBefore, ofInstant, startOf } = divide(sql, windows)
  return sql`
    select ${unit} as unit, ${ofInstant(sql`started_at`)} as period, 0::float8 as ms, count(*)::int as records, ${sumsOfReliability(sql, startOf(sql`started_at`))}
    from downtime_figures ${joinBounds(sql, windows)}
    where tenant_id = ${tenantId} and ${isWanted} and started_at >= ${start} and started_at < ${end} and ${isAfter(sql`started_at`)}
      and ${isBefore(sql`started_at`)}
    group by 1, 2`
}

/** Selects the sums of spans. Of their pairs of failures one at most began before the window: it entered the span in which it ends. */
function selectDowntimeSpans({ sql, tenantId, windows, unit, isWanted }: Source, { from, until, long }: Spans) {
  const [first, longFrom, longUntil, last] = [from, long.from, long.until, until].map((date) => midnight(sql, date)) as Four
  const start = divide(sql, windows).from
  const counts = sql`(entering_intervals = 0 or entering_from_ms >= 1000 * extract(epoch from ${start}))`
  return sql`
    select ${unit} as unit, 1 as period, downtime_ms::float8 as ms, records, repairs, repair_ms::float8 as "repairMs", failures,
      case when ${counts} then intervals else intervals - entering_intervals end as intervals,
      (case when ${counts} then uptime_ms else uptime_ms - entering_uptime_ms end)::float8 as "uptimeMs"
    from downtime_rollups ${joinBounds(sql, windows)}
    where tenant_id = ${tenantId} and ${isWanted} and (days = 28 and start_at >= ${longFrom} and start_at < ${longUntil}
      or days = 7 and start_at >= ${first} and start_at < ${longFrom} or days = 7 and start_at >= ${longUntil} and start_at < ${last})`
}
type Four = [Fragment, Fragment, Fragment, Fragment]

/**
 * Selects downtime, repairs and failures of units and periods: `unit`, `period`, `ms`, `records` and the columns of `ReliabilitySums`; several
 * rows of each. With spans there is one period: their sums are kept, and what is beside them comes from the records.
 */
export function selectDowntimeRows(source: Source, spans: Spans | null) {
  const { sql, windows } = source
  const { from, until, joined } = divide(sql, windows)
  if (!spans)
    return sql`${selectTime(source, joined.start, joined.end, sql`true`)} union all ${selectEvents(source, from, until)}`
  const [first, last] = [midnight(sql, spans.from), midnight(sql, spans.until)]
  const latest = sql`${new Date(Math.max(...windows.each.map(({ end }) => end)))}::timestamptz`
  // records that are not long end soon after what they reach into
  const before = sql`attributed_from < ${first} and ended_at < ${first} + interval '7 days' and not ${isLong(sql)}`
  const after = sql`ended_at > ${last} and ended_at < ${latest} + interval '7 days' and not ${isLong(sql)}`
  return sql`
    ${selectTime(source, from, first, before)} union all ${selectTime(source, last, until, after)}
    union all ${selectTime(source, from, until, isLong(sql))}
    union all ${selectEvents(source, from, first)} union all ${selectEvents(source, last, until)}
    union all ${selectDowntimeSpans(source, spans)}`
}

/** Selects the OEE of units and days. */
function selectOeeDays({ sql, tenantId, windows, unit, isWanted }: Source, condition: Fragment) {
  const { ofDate, hasDate } = divide(sql, windows)
  return sql`
    select ${unit} as unit, ${ofDate} as period, planned_ms, run_ms, net_ms, counted_ms, good_ms, parts, good_parts
    from machine_oee_days ${joinBounds(sql, windows)}
    where tenant_id = ${tenantId} and ${isWanted} and ${hasDate(sql`shift_date`)} and ${condition}`
}

/** Selects the OEE of units and periods: `unit`, `period`, `planned_ms` and weights; several rows of each. */
export function selectOeeRows(source: Source, spans: Spans | null) {
  const { sql, tenantId, windows, unit, isWanted } = source
  if (!spans) return sql`${selectOeeDays(source, sql`true`)}`
  const { from, until, long } = spans
  return sql`
    ${selectOeeDays(source, sql`shift_date < ${from}::date`)} union all ${selectOeeDays(source, sql`shift_date >= ${until}::date`)}
    union all
    select ${unit} as unit, ${divide(sql, windows).ofDate} as period, planned_ms, run_ms, net_ms, counted_ms, good_ms, parts, good_parts
    from (
      select machine_id, start_date as shift_date, planned_ms, run_ms, net_ms, counted_ms, good_ms, parts, good_parts from oee_rollups
      where tenant_id = ${tenantId} and ${isWanted} and (days = 28 and start_date >= ${long.from}::date and start_date < ${long.until}::date
        or days = 7 and start_date >= ${from}::date and start_date < ${long.from}::date
        or days = 7 and start_date >= ${long.until}::date and start_date < ${until}::date)) r ${joinBounds(sql, windows)}`
}

/**
 * Selects the same of all machines as one: from the sums of the tenant, less those of the deactivated machines.
 * @param dates that lie in the windows of all time zones; the last one not included. Those beside them are of some zones.
 */
export function selectCompanyOeeRows(source: Source, { from, until }: { from: string; until: string }, inactive: string[]) {
  const { sql, tenantId, windows, unit } = source
  const { ofDate } = divide(sql, { ...windows, each: [windows.each[0]] })
  return sql`
    select ${unit} as unit, ${ofDate} as period, planned_ms, run_ms, net_ms, counted_ms, good_ms, parts, good_parts from shift_oee_days
    where tenant_id = ${tenantId} and shift_date >= ${from}::date and shift_date < ${until}::date
    union all
    select ${unit} as unit, ${ofDate} as period, -planned_ms, -run_ms, -net_ms, -counted_ms, -good_ms, -parts, -good_parts from machine_oee_days
    where tenant_id = ${tenantId} and shift_date >= ${from}::date and shift_date < ${until}::date and machine_id = any(${inactive}::uuid[])
    union all ${selectOeeDays(source, sql`shift_date < ${from}::date`)} union all ${selectOeeDays(source, sql`shift_date >= ${until}::date`)}`
}
