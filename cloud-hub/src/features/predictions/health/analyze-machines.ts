import { ADVISORY_LOCKS } from '../../../db/advisory-locks.ts'
import type { Sql, TransactionSql } from '../../../db/pools.ts'
import { purge } from '../../../db/purge.ts'
import type { ReadingStore } from '../../../readings/index.ts'
import { dueMachines, nextExamination } from './due-machines.ts'
import { type LoadedMachine, loadFacts } from './load-facts.ts'
import { type Assessment, assess, riskOf } from './method/index.ts'

/** Machines that one transaction analyzes. */
const PORTION = 20
/** Health scores are kept this long. */
const HISTORY_DAYS = 400
const DAY_MS = 86_400_000

/**
 * Analyzes the machines that are due. Safe in several replicas at once: one at a time writes. After a kill the next run does the
 * rest. A machine whose data cannot be analyzed fails alone.
 * @param isStopping ends a long run between two portions
 * @throws AggregateError after the others, with the machines that failed
 */
export async function analyzeMachines(allTenants: Sql, store: ReadingStore, now: Date, isStopping: () => boolean): Promise<void> {
  const done = new Set<string>()
  const failed: string[] = []
  const failures: unknown[] = []
  const analyze = async (tenantId: string, machineIds: string[]): Promise<boolean> => {
    try {
      return await analyzeSome(allTenants, store, tenantId, machineIds, now)
    } catch (error) {
      if (machineIds.length > 1) {
        for (const machineId of machineIds) if (!(await analyze(tenantId, [machineId]))) return false
      } else {
        failed.push(...machineIds)
        failures.push(error)
      }
      return true
    }
  }
  while (!isStopping()) {
    const due = (await dueMachines(allTenants, now, failed)).filter(({ machineId }) => !done.has(machineId))
    if (due.length === 0) break
    for (const [tenantId, of] of Map.groupBy(due, (one) => one.tenantId)) {
      const ids = of.map(({ machineId }) => machineId)
      for (let i = 0; i < ids.length && !isStopping(); i += PORTION)
        if (!(await analyze(tenantId, ids.slice(i, i + PORTION)))) return
    }
    for (const { machineId } of due) done.add(machineId)
  }
  if (failures.length > 0) throw new AggregateError(failures, `The analysis of ${failures.length} machines failed.`)
}

/** @returns false: another replica analyzes */
const analyzeSome = (allTenants: Sql, store: ReadingStore, tenantId: string, machineIds: readonly string[], now: Date) =>
  allTenants.begin(async (tx) => {
    const [lock] = await tx<{ ours: boolean }[]>`select pg_try_advisory_xact_lock(${ADVISORY_LOCKS.predictions}) as ours`
    if (!lock?.ours) return false
    const loaded = await loadFacts(tx, store, tenantId, machineIds, now)
    for (const [machineId, { facts, newestHour }] of loaded)
      await savePrediction(tx, { tenantId, machineId, now, readUntil: newestHour }, assess(facts))
    const changed = [...loaded.values()].flatMap((one) => one.changed)
    if (changed.length > 0) await saveMedians(tx, tenantId, changed)
    // locked in the order of their ids, because flushes change them too
    await tx`
      update machines m set analysis_due_at = ${nextExamination(tx, now, null)}
      from (select id from machines where tenant_id = ${tenantId} and id = any(${machineIds as string[]}::uuid[])
        order by id for no key update) locked
      where m.tenant_id = ${tenantId} and m.id = locked.id`
    return true
  })

/** Stores the medians of series, without those that were deleted meanwhile. */
const saveMedians = (tx: TransactionSql, tenantId: string, changed: LoadedMachine['changed']) => {
  const rows = changed.map(({ seriesId, medians }) => ({ id: seriesId, first_day: medians.firstDay, medians: medians.medians }))
  return tx`
    insert into prediction_series (tenant_id, series_id, first_day, medians)
    select s.tenant_id, s.id, c.first_day, c.medians
    from json_to_recordset(${JSON.stringify(rows)}::text::json) c(id integer, first_day integer, medians float8[])
    join series s on s.tenant_id = ${tenantId} and s.id = c.id
    order by s.id
    on conflict (tenant_id, series_id) do update set first_day = excluded.first_day, medians = excluded.medians`
}

interface Analyzed {
  tenantId: string
  machineId: string
  now: Date
  /** Unix ms */
  readUntil: number | null
}

/** Stores a prediction, and a point of the history for a new day or a change of risk. Generated texts stay while the facts do. */
async function savePrediction(tx: TransactionSql, { tenantId, machineId, now, readUntil }: Analyzed, found: Assessment) {
  const { healthScore, failure } = found
  const risk = riskOf(healthScore)
  await tx`
    insert into machine_predictions as p (tenant_id, machine_id, health_score, risk_level, days_to_maintenance, days_to_failure,
      failure_low, failure_high, limiting_metric, degradation_rate, factors, read_until, analyzed_at)
    select tenant_id, id, ${healthScore}, ${risk}, ${found.daysToMaintenance}::float8, ${failure?.days ?? null}::float8,
      ${failure?.low ?? null}::float8, ${failure?.high ?? null}::float8, ${failure?.metric ?? null}::text, ${found.degradationRate},
      ${JSON.stringify(found.factors)}::text::jsonb, ${readUntil === null ? null : new Date(readUntil)}, ${now}
    from machines where tenant_id = ${tenantId} and id = ${machineId}
    on conflict (tenant_id, machine_id) do update set health_score = excluded.health_score, risk_level = excluded.risk_level,
      days_to_maintenance = excluded.days_to_maintenance, days_to_failure = excluded.days_to_failure, failure_low = excluded.failure_low,
      failure_high = excluded.failure_high, limiting_metric = excluded.limiting_metric, degradation_rate = excluded.degradation_rate,
      factors = excluded.factors, read_until = excluded.read_until, analyzed_at = excluded.analyzed_at,
      narratives = case when (p.health_score, p.factors, p.days_to_maintenance, p.degradation_rate) is not distinct from
        (excluded.health_score, excluded.factors, excluded.days_to_maintenance, excluded.degradation_rate) then p.narratives else '{}' end`
  await tx`
    insert into prediction_history (tenant_id, machine_id, recorded_at, health_score, risk_level)
    select tenant_id, id, ${now}, ${healthScore}, ${risk}
    from machines m where m.tenant_id = ${tenantId} and m.id = ${machineId} and coalesce((
      select h.risk_level <> ${risk} or h.recorded_at < ${new Date(Math.floor(now.getTime() / DAY_MS) * DAY_MS)}
      from prediction_history h where h.tenant_id = m.tenant_id and h.machine_id = m.id order by h.recorded_at desc limit 1), true)
    on conflict do nothing`
}

/** Deletes points of the history after 400 days. */
export const purgePredictions = (allTenants: Sql, now: Date): Promise<void> =>
  purge(allTenants, {
    table: 'prediction_history',
    column: 'recorded_at',
    before: new Date(now.getTime() - HISTORY_DAYS * DAY_MS),
  })
