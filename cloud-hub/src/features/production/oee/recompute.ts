import { isOfRow, isolateFailures } from '../../../db/errors.ts'
import type { Sql, TransactionSql } from '../../../db/pools.ts'
import type { ReadingStore } from '../../../readings/index.ts'
import { expandChanges } from './changes.ts'
import { type CounterSeries, counterSeries, countsOf } from './counters.ts'
import { NO_COUNTS, oeeOf, plannedMs, type WindowCounts } from './formula.ts'
import { type Stop, type StopRow, stopOf, timeLosses } from './time-losses.ts'

const DAY_MS = 86_400_000
/** Logs that one transaction of the job computes. */
const BATCH = 250

export interface OeeDeps {
  store: ReadingStore
  config: { retention: { rawDays: number } }
}

interface Log {
  tenantId: string
  id: string
  machineId: string
  shiftDefinitionId: string
  shiftDate: string
  start: Date
  end: Date
  /** how long the tenant keeps readings; 0: for ever */
  rawDays: number
  /** what is stored; null: the OEE was never computed, or by a previous version */
  total: number | null
  good: number | null
  idealCycleSeconds: number | null
  ignoredDips: number | null
  hasOpenDrop: boolean | null
  hasNewCounts: boolean
}

/** The row as the table has it: a ratio of 1 is a billion. */
const ppb = (ratio: number | null) => (ratio === null ? null : Math.round(ratio * 1e9))

function rowOf(log: Log, stops: readonly Stop[], counts: WindowCounts) {
  const losses = timeLosses({ start: log.start.getTime(), end: log.end.getTime() }, stops)
  const { oee, availability, performance, quality } = oeeOf(losses, counts)
  return {
    tenant_id: log.tenantId,
    shift_log_id: log.id,
    machine_id: log.machineId,
    shift_definition_id: log.shiftDefinitionId,
    shift_date: log.shiftDate,
    planned_ms: plannedMs(losses),
    not_scheduled_ms: losses.notScheduledMs,
    availability_loss_ms: losses.availabilityMs,
    performance_loss_ms: losses.performanceMs,
    quality_loss_ms: losses.qualityMs,
    downtime_ms: losses.downtimeMs,
    total_count: counts.total,
    good_count: counts.good,
    ideal_cycle_seconds: counts.idealCycleSeconds,
    oee_ppb: ppb(oee),
    availability_ppb: ppb(availability),
    performance_ppb: ppb(performance),
    quality_ppb: ppb(quality),
    ignored_dips: counts.ignoredDips,
    has_open_drop: counts.hasOpenDrop,
  }
}

/** The downtime of the logs, by log. */
async function stopsOf(tx: TransactionSql, logs: readonly Log[]): Promise<Map<string, Stop[]>> {
  const rows = await tx<(StopRow & { logId: string })[]>`
    select l.id as "logId", d.id, d.started_at as start, d.ended_at as "end", d.reason_type as "reasonType", c.oee_loss_category as "lossCategory"
    from unnest(${logs.map(({ tenantId }) => tenantId)}::uuid[], ${logs.map(({ id }) => id)}::uuid[], ${logs.map(({ machineId }) => machineId)}::uuid[],
      ${logs.map(({ start }) => start.toISOString())}::text[]::timestamptz[], ${logs.map(({ end }) => end.toISOString())}::text[]::timestamptz[])
      l(tenant_id, id, machine_id, start_at, end_at)
    join downtime_records d on d.tenant_id = l.tenant_id and d.machine_id = l.machine_id and d.started_at < l.end_at
      and (d.ended_at is null or d.ended_at > l.start_at)
    left join reason_codes c on c.tenant_id = d.tenant_id and c.id = d.reason_code_id`
  const byLog = Map.groupBy(rows, ({ logId }) => logId)
  return new Map([...byLog].map(([logId, of]) => [logId, of.map(stopOf)]))
}

/** The stored counts, or those of the readings where they may have changed and no reading has been removed yet. */
async function countsOfLog(
  tx: TransactionSql,
  { store }: OeeDeps,
  log: Log,
  series: readonly CounterSeries[] | undefined,
  now: Date,
): Promise<WindowCounts> {
  const { total, good, idealCycleSeconds, ignoredDips, hasOpenDrop } = log
  const stored = { total, good, idealCycleSeconds, ignoredDips: ignoredDips ?? 0, hasOpenDrop: hasOpenDrop ?? false }
  // The reading before the start counts too. Retention removes a UTC day when all of it is older than that.
  const firstDayEnd = Math.ceil(log.start.getTime() / DAY_MS) * DAY_MS
  const isRemoved = log.rawDays > 0 && firstDayEnd + log.rawDays * DAY_MS <= now.getTime()
  if (!log.hasNewCounts || isRemoved) return stored
  const window = { start: log.start.getTime(), end: log.end.getTime() }
  const [counts] = await countsOf(tx, store, log.tenantId, series ?? [], [window])
  return counts ?? NO_COUNTS
}

/** Computes the OEE of completed logs and stores it; a trigger keeps the sums. The logs stay locked until the commit. */
async function storeOee(tx: TransactionSql, deps: OeeDeps, changed: ReadonlyMap<string, ChangedLog>, now: Date): Promise<void> {
  const given = [...changed.values()]
  const logs = await tx<Log[]>`
    select l.tenant_id as "tenantId", l.id, l.machine_id as "machineId", l.shift_definition_id as "shiftDefinitionId",
      l.shift_date::text as "shiftDate", l.actual_start as start, l.actual_end as end, coalesce(t.raw_retention_days, ${deps.config.retention.rawDays}) as "rawDays",
      o.total_count as total, o.good_count as good, o.ideal_cycle_seconds as "idealCycleSeconds",
      o.ignored_dips as "ignoredDips", o.has_open_drop as "hasOpenDrop", given.has_new_counts as "hasNewCounts"
    from unnest(${given.map(({ tenantId }) => tenantId)}::uuid[], ${given.map(({ id }) => id)}::uuid[], ${given.map(({ hasNewCounts }) => String(hasNewCounts))}::text[]::boolean[])
      given(tenant_id, id, has_new_counts)
    join shift_logs l on l.tenant_id = given.tenant_id and l.id = given.id
    join tenants t on t.id = l.tenant_id
    left join shift_log_oee o on o.tenant_id = l.tenant_id and o.shift_log_id = l.id
    where l.status = 'completed' order by l.tenant_id, l.id for no key update of l`
  if (logs.length === 0) return
  const stops = await stopsOf(tx, logs)
  const series = new Map<string, CounterSeries[]>()
  for (const [tenantId, of] of Map.groupBy(
    logs.filter(({ hasNewCounts }) => hasNewCounts),
    (log) => log.tenantId,
  )) {
    const machineIds = of.map(({ machineId }) => machineId)
    for (const [machineId, found] of await counterSeries(tx, tenantId, machineIds)) series.set(machineId, found)
  }
  const rows: ReturnType<typeof rowOf>[] = []
  for (const log of logs)
    rows.push(rowOf(log, stops.get(log.id) ?? [], await countsOfLog(tx, deps, log, series.get(log.machineId), now)))
  await tx`
    insert into shift_log_oee (tenant_id, shift_log_id, machine_id, shift_definition_id, shift_date, planned_ms, not_scheduled_ms, availability_loss_ms,
      performance_loss_ms, quality_loss_ms, downtime_ms, total_count, good_count, ideal_cycle_seconds, oee_ppb, availability_ppb, performance_ppb,
      quality_ppb, ignored_dips, has_open_drop)
    select tenant_id, shift_log_id, machine_id, shift_definition_id, shift_date, planned_ms, not_scheduled_ms, availability_loss_ms,
      performance_loss_ms, quality_loss_ms, downtime_ms, total_count, good_count, ideal_cycle_seconds, oee_ppb, availability_ppb, performance_ppb,
      quality_ppb, ignored_dips, has_open_drop
    from json_populate_recordset(null::shift_log_oee, ${JSON.stringify(rows)}::text::json)
    on conflict (tenant_id, shift_log_id) do update set planned_ms = excluded.planned_ms, not_scheduled_ms = excluded.not_scheduled_ms,
      availability_loss_ms = excluded.availability_loss_ms, performance_loss_ms = excluded.performance_loss_ms,
      quality_loss_ms = excluded.quality_loss_ms, downtime_ms = excluded.downtime_ms, total_count = excluded.total_count,
      good_count = excluded.good_count, ideal_cycle_seconds = excluded.ideal_cycle_seconds, oee_ppb = excluded.oee_ppb,
      availability_ppb = excluded.availability_ppb, performance_ppb = excluded.performance_ppb, quality_ppb = excluded.quality_ppb,
      ignored_dips = excluded.ignored_dips, has_open_drop = excluded.has_open_drop`
}

interface ChangedLog {
  tenantId: string
  id: string
  hasNewCounts: boolean
}

interface Change {
  tenantId: string
  shiftLogId: string | null
  hasNewCounts: boolean
  reasonCodeId: string | null
  machineId: string | null
  fromAt: Date | null
  untilAt: Date | null
}

/**
 * Claims changes and computes the logs that they concern. A transaction that ran beside the writer of a change may hold another one
 * that this transaction does not see. While such transactions run, the change is read once and then kept, to be read again after
 * them. A writer newer than every transaction of this database comes from the cluster of a backup.
 * @param of `tenantIds`: null for all tenants but `except`
 * @returns how many changes were claimed
 */
export async function recomputeBatch(
  tx: TransactionSql,
  deps: OeeDeps,
  { tenantIds, except = [], limit, now }: { tenantIds: string[] | null; except?: string[]; limit: number; now: Date },
): Promise<number> {
  const isSettled = tx`(c.writer < pg_snapshot_xmin(pg_current_snapshot())::text::bigint or c.writer >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint)`
  const columns = tx`c.tenant_id as "tenantId", c.shift_log_id as "shiftLogId", c.has_new_counts as "hasNewCounts", c.reason_code_id as "reasonCodeId",
    c.machine_id as "machineId", c.from_at as "fromAt", c.until_at as "untilAt"`
  const changes = await tx<Change[]>`
    with claimed as (
      select c.tenant_id, c.id, ${isSettled} as is_settled from oee_changes c
      where ${tenantIds === null ? tx`c.tenant_id <> all(${except}::uuid[])` : tx`c.tenant_id = any(${tenantIds}::uuid[])`} and (not c.is_read or ${isSettled})
      order by c.id limit ${limit} for update skip locked),
    kept as (
      update oee_changes c set is_read = true from claimed k where c.tenant_id = k.tenant_id and c.id = k.id and not k.is_settled
      returning ${columns}),
    done as (
      delete from oee_changes c using claimed k where c.tenant_id = k.tenant_id and c.id = k.id and k.is_settled
      returning ${columns})
    select * from kept union all select * from done`
  await expandChanges(tx, deps.store, changes)
  const logs = new Map<string, ChangedLog>()
  for (const { tenantId, shiftLogId: id, hasNewCounts } of changes)
    if (id) logs.set(id, { tenantId, id, hasNewCounts: hasNewCounts || (logs.get(id)?.hasNewCounts ?? false) })
  if (logs.size > 0) await storeOee(tx, deps, logs, now)
  return changes.length
}

/** A tenant whose changes fail is left out by this process for so long. */
const AGAIN_MS = 60_000
/** Failures that one error names. */
const MAX_REPORTED = 5
/** Until when tenants are left out, Unix ms by their ids. */
const failedUntil = new Map<string, number>()

/**
 * Computes what has changed, of all tenants. Safe in several replicas. A tenant that fails does so alone, and is tried again after a
 * minute.
 * @returns how many changes were processed
 * @throws AggregateError after the others
 */
export async function recomputeOee(
  allTenants: Sql,
  deps: OeeDeps,
  now: Date,
  isStopping: () => boolean = () => false,
): Promise<number> {
  for (const [tenantId, until] of failedUntil) if (until <= now.getTime()) failedUntil.delete(tenantId)
  const failures: Error[] = []
  for (let count = 0; ; ) {
    let claimed = 0
    const computeOf = (tenantIds: string[] | null) =>
      allTenants.begin((tx) => recomputeBatch(tx, deps, { tenantIds, except: [...failedUntil.keys()], limit: BATCH, now }))
    try {
      claimed = await computeOf(null)
    } catch (error) {
      if (!isOfRow(error)) throw error
      const failed = await isolateFailures(await nextTenants(allTenants), async (tenantIds) => {
        claimed += await computeOf([...tenantIds])
      })
      for (const { row: tenantId } of failed) failedUntil.set(tenantId, now.getTime() + AGAIN_MS)
      failures.push(...failed.map(({ row, error: cause }) => new Error(`tenant ${row}`, { cause })))
      claimed += failed.length
    }
    count += claimed
    if (claimed > 0 && !isStopping()) continue
    if (failures.length === 0) return count
    throw new AggregateError(failures.slice(0, MAX_REPORTED), `The OEE of ${failures.length} tenants could not be computed.`)
  }
}

/** The tenants of the changes that a batch claims. */
async function nextTenants(allTenants: Sql): Promise<string[]> {
  const rows = await allTenants<{ id: string }[]>`
    select distinct tenant_id as id from (
      select c.tenant_id from oee_changes c
      where c.tenant_id <> all(${[...failedUntil.keys()]}::uuid[])
      order by c.id limit ${BATCH}) c`
  return rows.map(({ id }) => id)
}
