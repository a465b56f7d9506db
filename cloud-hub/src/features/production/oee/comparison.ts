import { Temporal } from 'temporal-polyfill'
import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope, WorkScope } from '../../../db/scope.ts'
import { fieldError, Unprocessable } from '../../../support/errors.ts'
import type { z } from '../../../support/http/z.ts'
import { inGroup, zoneOf } from '../../plant/machine-groups/index.ts'
import type { Oee } from './formula.ts'
import { type OeeDeps, recomputeBatch } from './recompute.ts'
import type { ComparisonBody, ComparisonQuery } from './schemas.ts'

const DEFAULT_DAYS = 30
const MAX_DAYS = 90
/** A request computes at most this many changed logs, in a few steps; the job computes the rest. */
const STEPS = 3
const STEP_LOGS = 50

/** Computes what has changed a moment ago, so that an answer after a change shows it. */
export async function recomputeForAnswer(scope: WorkScope, deps: OeeDeps): Promise<void> {
  for (let step = 0; step < STEPS; step++) {
    const options = { tenantIds: [scope.tenantId], limit: STEP_LOGS, now: scope.clock.now() }
    if ((await scope.tx((tx) => recomputeBatch(tx, deps, options))) === 0) return
  }
}

/** The days of a comparison: the last 30 by default. @throws Unprocessable for more than 90 days or an end before the start */
function datesOf({ from_date, to_date }: z.output<typeof ComparisonQuery>, today: Temporal.PlainDate) {
  const to = to_date ? Temporal.PlainDate.from(to_date) : today
  const from = from_date ? Temporal.PlainDate.from(from_date) : to.subtract({ days: DEFAULT_DAYS - 1 })
  const days = from.until(to).days + 1
  if (days < 1)
    throw new Unprocessable([fieldError('query.to_date', 'not_after', { other: 'from_date' }, 'must not be before from_date')])
  if (days > MAX_DAYS) throw new Unprocessable([fieldError('query.from_date', 'max_range_days', { days: MAX_DAYS })])
  return { from: from.toString(), to: to.toString() }
}

interface Sums {
  shift_definition_id: string
  shift_name: string
  shift_color: string
  record_count: number
  downtime_ms: number
  planned_ms: number
  oee_count: number
  performance_count: number
  quality_count: number
  oee: number
  availability: number
  performance: number
  quality: number
  weighted_oee: number | null
  weighted_availability: number | null
  weighted_performance: number | null
  weighted_quality: number | null
}

const rounded = (value: number | null) => (value === null ? null : Math.round(value * 100) / 100)

/** The figures of several logs or periods together, as `weighted_oee.sql` computes them in percent; null: undefined. */
export const presentWeighted = ({ oee, availability, performance, quality }: Oee) => ({
  oee_pct: rounded(oee),
  availability_pct: rounded(availability),
  performance_pct: rounded(performance),
  quality_pct: rounded(quality),
})

/** Selects the sums that `weighted_oee.sql` needs beside planned time, of stored sums or of `oee_weights.sql`. */
export const sumsOfWeights = (sql: TransactionSql) => sql`
  sum(run_ms) as run_ms, sum(net_ms) as net_ms, sum(counted_ms) as counted_ms, sum(good_ms) as good_ms, sum(parts) as parts, sum(good_parts) as good_parts`

/** Percent with two digits; null without logs. */
const percent = (sumPpb: number, count: number) => (count === 0 ? null : Math.round(sumPpb / count / 1e5) / 100)
const minutes = (ms: number) => Math.round(ms / 600) / 100

/**
 * The shifts of some days compared, by definition. Each average is the mean of the logs' own percentages, over completed logs with
 * planned time; of performance and quality over those with run time. The weighted figures are those of all logs as one.
 */
export async function compareShifts(
  scope: TenantScope,
  deps: OeeDeps,
  query: z.output<typeof ComparisonQuery>,
): Promise<z.input<typeof ComparisonBody>> {
  const { tenantId } = scope
  await recomputeForAnswer(scope, deps)
  const now = scope.clock.now().getTime()
  return scope.tx(async (sql) => {
    const zone = await zoneOf(sql, tenantId, query)
    const dates = datesOf(query, Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(zone).toPlainDate())
    const between = sql`tenant_id = ${tenantId} and shift_date between ${dates.from}::text::date and ${dates.to}::text::date`
    const wanted = sql`${query.machine_id ? sql`and machine_id = ${query.machine_id}` : sql``}
      ${inGroup(sql, tenantId, query.group_id, 'machine_id')}`
    const sums =
      query.machine_id || query.group_id
        ? sql`select shift_definition_id, count(*) as records, sum(downtime_ms) as downtime_ms, sum(planned_ms) as planned_ms, count(oee_ppb) as oees,
          sum(oee_ppb) as oee, sum(availability_ppb) as availability, count(performance_ppb) as performances, sum(performance_ppb) as performance,
          count(quality_ppb) as qualities, sum(quality_ppb) as quality, ${sumsOfWeights(sql)}
          from shift_log_oee log cross join lateral oee_weights(log) where ${between} ${wanted} group by 1`
        : sql`select shift_definition_id, sum(log_count) as records, sum(downtime_ms) as downtime_ms, sum(planned_ms) as planned_ms, sum(oee_count) as oees,
          sum(oee_sum_ppb) as oee, sum(availability_sum_ppb) as availability, sum(performance_count) as performances,
          sum(performance_sum_ppb) as performance, sum(quality_count) as qualities, sum(quality_sum_ppb) as quality, ${sumsOfWeights(sql)}
          from shift_oee_days where ${between} group by 1`
    const rows = await sql<Sums[]>`
      select d.id as shift_definition_id, d.name as shift_name, d.color as shift_color, s.records::float8 as record_count,
        s.downtime_ms::float8, s.planned_ms::float8, s.oees::float8 as oee_count, s.performances::float8 as performance_count,
        s.qualities::float8 as quality_count, coalesce(s.oee, 0)::float8 as oee, coalesce(s.availability, 0)::float8 as availability,
        coalesce(s.performance, 0)::float8 as performance, coalesce(s.quality, 0)::float8 as quality,
        w.oee as weighted_oee, w.availability as weighted_availability, w.performance as weighted_performance, w.quality as weighted_quality
      from (${sums}) s join shift_definitions d on d.tenant_id = ${tenantId} and d.id = s.shift_definition_id
      cross join lateral weighted_oee(s.planned_ms, s.run_ms, s.net_ms, s.counted_ms, s.good_ms, s.parts, s.good_parts) w
      where s.records > 0 order by d.sort_order, d.start_time, d.id`
    return {
      machine_id: query.machine_id ?? null,
      from_date: dates.from,
      to_date: dates.to,
      shifts: rows.map((row) => ({
        shift_definition_id: row.shift_definition_id,
        shift_name: row.shift_name,
        shift_color: row.shift_color,
        record_count: row.record_count,
        avg_oee_pct: percent(row.oee, row.oee_count),
        avg_availability_pct: percent(row.availability, row.oee_count),
        avg_performance_pct: percent(row.performance, row.performance_count),
        avg_quality_pct: percent(row.quality, row.quality_count),
        total_downtime_minutes: minutes(row.downtime_ms),
        avg_planned_production_minutes: row.oee_count === 0 ? null : minutes(row.planned_ms / row.oee_count),
        weighted: presentWeighted({
          oee: row.weighted_oee,
          availability: row.weighted_availability,
          performance: row.weighted_performance,
          quality: row.weighted_quality,
        }),
      })),
    }
  })
}
