import type { PendingQuery, Row } from 'postgres'
import type { ReasonType } from '../../../db/enums.ts'
import type { TransactionSql } from '../../../db/pools.ts'

type Fragment = PendingQuery<Row[]>

/**
 * Sums of one machine over a window, from which MTTR and MTBF follow. Sums of several machines add up, whatever their order: milliseconds
 * are whole.
 */
export interface ReliabilitySums {
  repairs: number
  repairMs: number
  failures: number
  /** pairs of consecutive failures in the window, and the uptime between them */
  intervals: number
  uptimeMs: number
}

export const NO_EVENTS: ReliabilitySums = { repairs: 0, repairMs: 0, failures: 0, intervals: 0, uptimeMs: 0 }

/** The columns of {@link ReliabilitySums} over rows of `downtime_figures` that began at or after an instant. */
export const sumsOfReliability = (sql: TransactionSql, from: PendingQuery<Row[]>) => sql`
  count(repair_seconds)::int as repairs, coalesce(sum(round(repair_seconds * 1000)), 0) as "repairMs",
  count(*) filter (where starts_failure)::int as failures,
  count(*) filter (where previous_failure_at >= ${from})::int as intervals,
  coalesce(sum(round(uptime_before_seconds * 1000)) filter (where previous_failure_at >= ${from}), 0) as "uptimeMs"`

/**
 * The milliseconds that rows of `downtime_figures` have between two instants, each instant of a machine once. Sums of intervals are
 * exact, and faster than sums of numbers.
 */
export const downtimeMs = (sql: TransactionSql, from: PendingQuery<Row[]>, until: PendingQuery<Row[]>) => sql`
  (1000 * extract(epoch from sum(least(ended_at, ${until}) - greatest(attributed_from, ${from}))))::float8`

/**
 * Selects the sums of each machine that had downtime, for embedding: `machine_id` and the columns of {@link ReliabilitySums}.
 * What started in the window counts; an interval counts when both its failures started there.
 * @param wanted a condition on `machine_id` that begins with `and`; null for all machines
 */
export const selectReliability = (sql: TransactionSql, tenantId: string, from: Date, wanted: Fragment | null) => sql`
  select machine_id, ${sumsOfReliability(sql, sql`${from}`)}
  from downtime_figures
  where tenant_id = ${tenantId} and started_at >= ${from} ${wanted ?? sql``}
  group by machine_id`

/** Selects the milliseconds of downtime of each machine in a window, each instant once: `machine_id`, `ms`. For embedding. */
export const selectDowntime = (sql: TransactionSql, tenantId: string, from: Date, until: Date) => sql`
  select machine_id, ${downtimeMs(sql, sql`${from}::timestamptz`, sql`${until}::timestamptz`)} as ms
  from downtime_figures
  where tenant_id = ${tenantId} and ended_at > ${from} and attributed_from < ${until}
  group by machine_id`

/** Selects the milliseconds of downtime of a machine in a window by type, each instant once. */
export const selectDowntimeByType = (sql: TransactionSql, tenantId: string, machineId: string, from: Date, until: Date) => sql<
  { type: ReasonType; ms: number }[]
>`
  select r.reason_type as type,
    (1000 * extract(epoch from sum(least(f.ended_at, ${until}) - greatest(f.attributed_from, ${from}))))::float8 as ms
  from downtime_figures f join downtime_records r on r.tenant_id = f.tenant_id and r.id = f.record_id
  where f.tenant_id = ${tenantId} and f.machine_id = ${machineId} and f.ended_at > ${from} and f.attributed_from < ${until}
  group by r.reason_type`

const HOUR_MS = 3_600_000

/**
 * Uptime over total time, in percent: SEMI E10's total uptime, with all downtime deducted.
 * @returns null without time
 */
export const uptimePercent = (totalMs: number, downtimeMs: number): number | null =>
  totalMs <= 0 ? null : Math.max(0, ((totalMs - downtimeMs) / totalMs) * 100)

/**
 * Mean time to restoration: the sum of repair times over their number. Source: ISO 22400-2:2014, KPI "mean time to restoration".
 * @returns hours; null without a repair
 */
export const mttrHours = ({ repairs, repairMs }: ReliabilitySums): number | null =>
  repairs === 0 ? null : repairMs / HOUR_MS / repairs

/**
 * Mean operating time between failures: the sum of the operating times between consecutive failures over their number.
 * Source: ISO 22400-2:2014, KPI "mean operating time between failures". Of several machines, pairs of each machine are pooled.
 * @returns hours; null with fewer than two failures on each machine
 */
export const mtbfHours = ({ intervals, uptimeMs }: ReliabilitySums): number | null =>
  intervals === 0 ? null : uptimeMs / HOUR_MS / intervals

export const addSums = (a: ReliabilitySums, b: ReliabilitySums): ReliabilitySums => ({
  repairs: a.repairs + b.repairs,
  repairMs: a.repairMs + b.repairMs,
  failures: a.failures + b.failures,
  intervals: a.intervals + b.intervals,
  uptimeMs: a.uptimeMs + b.uptimeMs,
})
