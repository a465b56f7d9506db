import { Temporal } from 'temporal-polyfill'
import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { fieldError, Unprocessable } from '../../../support/errors.ts'
import type { z } from '../../../support/http/z.ts'
import { zoneOf } from '../../plant/machine-groups/index.ts'
import type { TimeInterval } from '../time-attribution/index.ts'
import { presentWeighted, recomputeForAnswer, sumsOfWeights } from './comparison.ts'
import { counterSeries, countsOf } from './counters.ts'
import {
  addCounts,
  effectiveLosses,
  NO_COUNTS,
  type Oee,
  oeeOf,
  plannedMs,
  runMs,
  type TimeLosses,
  type WindowCounts,
} from './formula.ts'
import { loadPlan, plannedWindows } from './planned-time.ts'
import type { OeeDeps } from './recompute.ts'
import type { OeeBody, OeeQuery } from './schemas.ts'
import { addLosses, type StopRow, stopOf, timeLosses } from './time-losses.ts'

const DAY_MS = 86_400_000
const DEFAULT_DAYS = { shift: 30, '1d': 30, '1h': 1 } as const
const MAX_DAYS = { shift: 90, '1d': 90, '1h': 31 } as const

type Period = z.input<typeof OeeBody>['periods'][number]

/** @throws Unprocessable for a range that is empty or too long */
function windowOf({ interval, start, end }: z.output<typeof OeeQuery>, now: number): TimeInterval {
  const until = Math.min(end?.getTime() ?? now, now)
  const from = start?.getTime() ?? until - DEFAULT_DAYS[interval] * DAY_MS
  if (until <= from)
    throw new Unprocessable([
      fieldError('query.end', 'not_after', { other: 'start' }, 'must be after start, which must not be in the future'),
    ])
  if (until - from > MAX_DAYS[interval] * DAY_MS)
    throw new Unprocessable([fieldError('query.start', 'max_range_days', { days: MAX_DAYS[interval] })])
  return { start: from, end: until }
}

const minutes = (ms: number) => Math.round(ms / 600) / 100
const percent = (ratio: number | null) => (ratio === null ? null : Math.round(ratio * 10_000) / 100)

interface Measured {
  start: number
  end: number
  log: { id: string; name: string } | null
  losses: TimeLosses & { downtimeMs: number }
  counts: WindowCounts
}

function presentPeriod({ start, end, log, losses, counts }: Measured): Period {
  const { availability, performance, quality, oee } = oeeOf(losses, counts)
  const { total, good, idealCycleSeconds, ignoredDips } = counts
  const lost = effectiveLosses(losses, counts)
  return {
    start: new Date(start).toISOString(),
    end: new Date(end).toISOString(),
    shift_log_id: log?.id ?? null,
    shift_name: log?.name ?? null,
    planned_minutes: minutes(plannedMs(losses)),
    run_minutes: minutes(runMs(losses)),
    downtime_minutes: minutes(losses.downtimeMs),
    losses: {
      not_scheduled_minutes: minutes(lost.notScheduledMs),
      availability_loss_minutes: minutes(lost.availabilityMs),
      performance_loss_minutes: minutes(lost.performanceMs),
      quality_loss_minutes: minutes(lost.qualityMs),
    },
    total_count: total,
    good_count: good,
    ideal_cycle_seconds: idealCycleSeconds,
    ignored_dips: ignoredDips,
    performance_source: performance === null ? null : total !== null && idealCycleSeconds !== null ? 'counters' : 'time_losses',
    quality_source: quality === null ? null : total !== null && good !== null ? 'counters' : 'time_losses',
    availability_pct: percent(availability),
    performance_pct: percent(performance),
    quality_pct: percent(quality),
    oee_pct: percent(oee),
  }
}

/** The completed logs of a machine that end in a window, as they are stored. */
async function logPeriods(
  sql: TransactionSql,
  tenantId: string,
  machineId: string,
  { start, end }: TimeInterval,
): Promise<Measured[]> {
  const rows = await sql<
    (WindowCounts & {
      id: string
      name: string
      start: Date
      end: Date
      notScheduledMs: number
      availabilityMs: number
      performanceMs: number
      qualityMs: number
      downtimeMs: number
    })[]
  >`
    select l.id, d.name, l.actual_start as start, l.actual_end as end, o.not_scheduled_ms::float8 as "notScheduledMs",
      o.availability_loss_ms::float8 as "availabilityMs", o.performance_loss_ms::float8 as "performanceMs", o.quality_loss_ms::float8 as "qualityMs",
      o.downtime_ms::float8 as "downtimeMs", o.total_count as total, o.good_count as good, o.ideal_cycle_seconds as "idealCycleSeconds",
      coalesce(o.ignored_dips, 0) as "ignoredDips", coalesce(o.has_open_drop, false) as "hasOpenDrop"
    from shift_logs l
    join shift_log_oee o on o.tenant_id = l.tenant_id and o.shift_log_id = l.id
    join shift_definitions d on d.tenant_id = l.tenant_id and d.id = l.shift_definition_id
    where l.tenant_id = ${tenantId} and l.machine_id = ${machineId} and l.status = 'completed'
      and l.actual_end > ${new Date(start)} and l.actual_end <= ${new Date(end)}
    order by l.actual_start, l.id`
  return rows.map(({ id, name, start, end, total, good, idealCycleSeconds, ignoredDips, hasOpenDrop, ...losses }) => ({
    start: start.getTime(),
    end: end.getTime(),
    log: { id, name },
    losses: { ...losses, lengthMs: end.getTime() - start.getTime() },
    counts: { total, good, idealCycleSeconds, ignoredDips, hasOpenDrop },
  }))
}

const STEPS = { '1h': { hours: 1 }, '1d': { days: 1 }, '1w': { weeks: 1 } } as const

/** The hours, days or weeks of a window in a time zone; hours count from the start of the local day, weeks begin on Mondays. */
export function bucketsOf({ start, end }: TimeInterval, interval: '1h' | '1d' | '1w', timeZone: string): TimeInterval[] {
  const zoned = Temporal.Instant.fromEpochMilliseconds(start).toZonedDateTimeISO(timeZone)
  const step = STEPS[interval]
  const found: TimeInterval[] = []
  let at = (interval === '1w' ? zoned.subtract({ days: zoned.dayOfWeek - 1 }) : zoned).startOfDay()
  while (at.epochMilliseconds < end) {
    const next = interval === '1h' ? at.add(step) : at.add(step).startOfDay()
    const bucket = { start: Math.max(start, at.epochMilliseconds), end: Math.min(end, next.epochMilliseconds) }
    if (bucket.end > bucket.start) found.push(bucket)
    at = next
  }
  return found
}

/** Hours or days, computed from downtime and counters in shift time. */
async function bucketPeriods(
  sql: TransactionSql,
  { store }: OeeDeps,
  { tenantId, machineId }: { tenantId: string; machineId: string },
  window: TimeInterval,
  interval: '1h' | '1d',
): Promise<Measured[]> {
  const plan = await loadPlan(sql, tenantId, machineId, window)
  const stops = await sql<StopRow[]>`
    select d.id, d.started_at as start, d.ended_at as end, d.reason_type as "reasonType", c.oee_loss_category as "lossCategory"
    from downtime_records d left join reason_codes c on c.tenant_id = d.tenant_id and c.id = d.reason_code_id
    where d.tenant_id = ${tenantId} and d.machine_id = ${machineId} and d.started_at < ${new Date(window.end)}
      and (d.ended_at is null or d.ended_at > ${new Date(window.start)})`
  const intervals = stops.map(stopOf)
  const planned = plannedWindows(window, plan)
  const buckets = bucketsOf(window, interval, plan.timeZone)
  const parts = buckets.map((bucket) =>
    planned
      .map(({ start, end }) => ({ start: Math.max(start, bucket.start), end: Math.min(end, bucket.end) }))
      .filter(({ start, end }) => end > start),
  )
  const series = (await counterSeries(sql, tenantId, [machineId])).get(machineId) ?? []
  const counts = await countsOf(sql, store, tenantId, series, parts.flat())
  let next = 0
  return buckets.map((bucket, i) => {
    const own = parts[i] as TimeInterval[]
    const ownCounts = counts.slice(next, next + own.length)
    next += own.length
    const losses = addLosses(
      own.map((part) =>
        timeLosses(
          part,
          intervals.filter(({ start, end }) => start < part.end && end > part.start),
        ),
      ),
    )
    return { ...bucket, log: null, losses, counts: own.length === 0 ? NO_COUNTS : addCounts(ownCounts) }
  })
}

/** The figures of shift logs as one, in percent. */
async function weightedOfLogs(sql: TransactionSql, tenantId: string, logs: readonly Measured[]): Promise<Oee> {
  const [row] = await sql<Oee[]>`
    select w.availability, w.performance, w.quality, w.oee
    from (
      select sum(planned_ms) as planned_ms, ${sumsOfWeights(sql)} from shift_log_oee log cross join lateral oee_weights(log)
      where tenant_id = ${tenantId} and shift_log_id = any(${logs.flatMap(({ log }) => log?.id ?? [])}::uuid[])) s
    cross join lateral weighted_oee(s.planned_ms, s.run_ms, s.net_ms, s.counted_ms, s.good_ms, s.parts, s.good_parts) w`
  return row as Oee
}

/** The figures of hours or days as one, in percent: an hour without a reading of a counter made no parts where another one has some. */
function weightedOfBuckets(buckets: readonly Measured[]): Oee {
  const one = oeeOf(addLosses(buckets.map(({ losses }) => losses)), addCounts(buckets.map(({ counts }) => counts)))
  const hundred = (ratio: number | null) => (ratio === null ? null : ratio * 100)
  return {
    availability: hundred(one.availability),
    performance: hundred(one.performance),
    quality: hundred(one.quality),
    oee: hundred(one.oee),
  }
}

/** What all periods together were planned for, and what each loss takes of it until planned time times OEE remains. */
function presentTotals(periods: readonly Measured[], { availability, performance, quality }: Oee) {
  const planned = plannedMs(addLosses(periods.map(({ losses }) => losses)))
  const run = planned * ((availability ?? 0) / 100)
  const net = run * ((performance ?? 0) / 100)
  return {
    planned_minutes: minutes(planned),
    availability_loss_minutes: minutes(planned - run),
    performance_loss_minutes: minutes(run - net),
    quality_loss_minutes: minutes(net * (1 - (quality ?? 0) / 100)),
    ignored_dips: periods.reduce((sum, { counts }) => sum + counts.ignoredDips, 0),
  }
}

/** The OEE of a machine by shift, hour or day, with everything that it is computed from. @throws Unprocessable */
export async function machineOee(
  scope: TenantScope,
  deps: OeeDeps,
  machineId: string,
  query: z.output<typeof OeeQuery>,
): Promise<z.input<typeof OeeBody>> {
  const { tenantId } = scope
  const { interval } = query
  const window = windowOf(query, scope.clock.now().getTime())
  if (interval === 'shift') await recomputeForAnswer(scope, deps)
  const { periods, weighted, timeZone } = await scope.tx(async (sql) => {
    const timeZone = await zoneOf(sql, tenantId, { machine_id: machineId })
    if (interval === 'shift') {
      const logs = await logPeriods(sql, tenantId, machineId, window)
      return { periods: logs, weighted: await weightedOfLogs(sql, tenantId, logs), timeZone }
    }
    const buckets = await bucketPeriods(sql, deps, { tenantId, machineId }, window, interval)
    return { periods: buckets, weighted: weightedOfBuckets(buckets), timeZone }
  })
  return {
    machine_id: machineId,
    interval,
    start: new Date(window.start).toISOString(),
    end: new Date(window.end).toISOString(),
    time_zone: timeZone,
    weighted: presentWeighted(weighted),
    totals: presentTotals(periods, weighted),
    periods: periods.map(presentPeriod),
  }
}
