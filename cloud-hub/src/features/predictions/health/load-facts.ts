import type { TransactionSql } from '../../../db/pools.ts'
import type { ReadingStore } from '../../../readings/index.ts'
import {
  type DailyMedians,
  dayOf,
  type HourlyMean,
  meanSince,
  PERIOD_DAYS,
  startOfDay,
  trendPointsOf,
  updateMedians,
  YOUNG_DAYS,
} from './condense.ts'
import type { MachineFacts, SeriesFacts } from './method/index.ts'

const [HOUR_MS, DAY_MS] = [3_600_000, 86_400_000]
/** When a day is over, this many days are read again: readings may have arrived late. */
const REREAD_DAYS = 7
/** Hourly means in memory at once, of all series that one query reads. */
const MAX_HOURS = 200_000

interface StoredSeries {
  id: number
  machineId: string
  metric: string
  unit: string
  firstDay: number | null
  medians: (number | null)[] | null
  mean: number | null
  stdDev: number | null
  warning: number | null
  critical: number | null
}

/** The facts of a machine, and the medians of its series that have changed. */
export interface LoadedMachine {
  facts: MachineFacts
  /** Unix ms of the newest hour with readings; null without any */
  newestHour: number | null
  changed: { seriesId: number; medians: DailyMedians }[]
}

/** Loads what the analysis of some machines of a tenant needs, in three statements and the readings of the newest days. */
export async function loadFacts(
  tx: TransactionSql,
  store: ReadingStore,
  tenantId: string,
  machineIds: readonly string[],
  now: Date,
): Promise<Map<string, LoadedMachine>> {
  const series = await loadSeries(tx, tenantId, machineIds)
  const events = await loadEvents(tx, tenantId, machineIds, now)
  const condensed = await condenseSeries(tx, store, tenantId, series, now)
  const byMachine = Map.groupBy(series, ({ machineId }) => machineId)
  return new Map(
    events.map(({ machineId, history, ...of }) => {
      const own = (byMachine.get(machineId) ?? []).flatMap(({ id }) => condensed.get(id) ?? [])
      const facts: MachineFacts = {
        now: now.getTime() / DAY_MS,
        series: own.map(({ facts }) => facts),
        anomalies: { week: of.anomaliesWeek, before: of.anomaliesBefore },
        alerts: of.alerts,
        downtime: of.downtime,
        history: { times: history.map(([day]) => day), values: history.map(([, score]) => score) },
      }
      const newestHour = Math.max(...own.map((one) => one.newestHour))
      const changed = own.flatMap((one) => one.changed ?? [])
      return [machineId, { facts, newestHour: Number.isFinite(newestHour) ? newestHour : null, changed }]
    }),
  )
}

/** A series, condensed to what its analysis needs. */
interface CondensedSeries {
  facts: SeriesFacts
  /** Unix ms of its newest hour with readings; -Infinity without any */
  newestHour: number
  /** null: as they are stored */
  changed: { seriesId: number; medians: DailyMedians } | null
}

function condense(one: StoredSeries, all: readonly HourlyMean[], now: Date): CondensedSeries {
  // the mean of values near the largest double can overflow
  const hours = all.filter(({ mean }) => Number.isFinite(mean))
  const today = dayOf(now.getTime())
  const known = medianOfStored(one)
  const medians = updateMedians(known, hours, firstDayToRead(one, today), today)
  const mean = meanSince(hours, now.getTime() - DAY_MS)
  const drift = mean === null || one.mean === null || !one.stdDev ? Number.NaN : (mean - one.mean) / one.stdDev
  const facts: SeriesFacts = {
    metric: one.metric,
    unit: one.unit,
    points: trendPointsOf(medians, hours, today),
    limits: one.warning === null || one.critical === null ? null : { warning: one.warning, critical: one.critical },
    driftSigma: Number.isFinite(drift) ? drift : null,
  }
  const isSame = known && known.firstDay === medians.firstDay && String(known.medians) === String(medians.medians)
  return {
    facts,
    newestHour: all.at(-1)?.at ?? Number.NEGATIVE_INFINITY,
    changed: isSame ? null : { seriesId: one.id, medians },
  }
}

const medianOfStored = ({ firstDay, medians }: StoredSeries): DailyMedians | null =>
  firstDay === null || medians === null ? null : { firstDay, medians }

/** The first day whose hours are read: yesterday, the days not condensed yet and some before, or all while a series is young. */
function firstDayToRead(series: StoredSeries, today: number): number {
  const known = medianOfStored(series)
  if (!known) return today - PERIOD_DAYS
  const next = known.firstDay + known.medians.length
  const days = known.medians.filter((value) => value !== null).length
  return Math.max(
    today - PERIOD_DAYS,
    Math.min(today - 1, next < today ? next - REREAD_DAYS : today, days < YOUNG_DAYS ? today - YOUNG_DAYS : today),
  )
}

/** Series with the same first day share a query, as many as memory permits: a first analysis reads 120 days of each. */
async function condenseSeries(
  tx: TransactionSql,
  store: Pick<ReadingStore, 'buckets'>,
  tenantId: string,
  series: readonly StoredSeries[],
  now: Date,
): Promise<Map<number, CondensedSeries>> {
  const today = dayOf(now.getTime())
  const condensed = new Map<number, CondensedSeries>()
  for (const [day, of] of Map.groupBy(series, (one) => firstDayToRead(one, today))) {
    const portion = Math.floor(MAX_HOURS / (24 * (today + 1 - day)))
    for (let i = 0; i < of.length; i += portion) {
      const some = of.slice(i, i + portion)
      const range = { tenantId, seriesIds: some.map(({ id }) => id), from: startOfDay(day), until: now.getTime() + 1 }
      const hours = Map.groupBy(await store.buckets(tx, range, HOUR_MS), (bucket) => bucket.series)
      for (const [index, one] of some.entries()) condensed.set(one.id, condense(one, hours.get(index) ?? [], now))
    }
  }
  return condensed
}

/** The series with what is stored about them. Of several rules one for the machine counts first, then the oldest. */
const loadSeries = (tx: TransactionSql, tenantId: string, machineIds: readonly string[]) => tx<StoredSeries[]>`
  select s.id, s.machine_id as "machineId", s.metric, s.unit, p.first_day as "firstDay", to_json(p.medians) as medians,
    b.mean_value as mean, b.std_dev as "stdDev", r.warning_threshold as warning, r.critical_threshold as critical
  from series s
  left join prediction_series p on p.tenant_id = s.tenant_id and p.series_id = s.id
  left join baselines b on b.tenant_id = s.tenant_id and b.series_id = s.id
  left join lateral (
    select r.warning_threshold, r.critical_threshold from threshold_rules r
    where r.tenant_id = s.tenant_id and r.is_active and r.metric_name = s.metric and (r.machine_id is null or r.machine_id = s.machine_id)
    order by r.machine_id is null, r.created_at, r.id limit 1) r on true
  where s.tenant_id = ${tenantId} and s.machine_id = any(${machineIds as string[]}::uuid[])
  order by s.machine_id, s.metric, s.unit`

interface StoredEvents {
  machineId: string
  anomaliesWeek: number
  anomaliesBefore: number
  alerts: MachineFacts['alerts']
  downtime: MachineFacts['downtime']
  /** day since the epoch and the first score of the day */
  history: [day: number, score: number][]
}

const loadEvents = (tx: TransactionSql, tenantId: string, machineIds: readonly string[], now: Date) => {
  const ago = (days: number) => new Date(now.getTime() - days * DAY_MS)
  return tx<StoredEvents[]>`
    with active as materialized (
      -- however old, by the index of alerts that are not cleared
      select machine_id, count(*) filter (where severity = 'critical')::int as critical,
        count(*) filter (where severity = 'warning')::int as warning
      from alerts where tenant_id = ${tenantId} and machine_id = any(${machineIds as string[]}::uuid[]) and cleared_at is null
      group by machine_id
    )
    select m as "machineId", a.week as "anomaliesWeek", a.before as "anomaliesBefore", l.counts as alerts, d.downtime,
      coalesce(h.points, '[]') as history
    from unnest(${machineIds as string[]}::uuid[]) m
    cross join lateral (
      select count(*) filter (where started_at >= ${ago(7)})::int as week, count(*) filter (where started_at < ${ago(7)})::int as before
      from anomaly_events where tenant_id = ${tenantId} and machine_id = m and started_at >= ${ago(30)} and started_at <= ${now}) a
    left join active on active.machine_id = m
    cross join lateral (
      select json_build_object('activeCritical', coalesce(active.critical, 0), 'activeWarning', coalesce(active.warning, 0),
        'weekCritical', count(*) filter (where severity = 'critical'), 'weekWarning', count(*) filter (where severity = 'warning')) as counts
      from alerts where tenant_id = ${tenantId} and machine_id = m and created_at >= ${ago(7)}) l
    cross join lateral (
      -- overlapping records count once
      select json_build_object(
        'failures', count(*) filter (where started_at >= ${ago(30)}),
        'hours', coalesce((select sum(extract(epoch from upper(part) - lower(part))) / 3600 from unnest(
          range_agg(tstzrange(greatest(started_at, ${ago(30)}), greatest(${ago(30)}, least(coalesce(ended_at, ${now}), ${now})), '[]'))) part), 0),
        'isOngoing', count(*) filter (where ended_at is null) > 0) as downtime
      from downtime_records where tenant_id = ${tenantId} and machine_id = m and reason_type = 'unplanned'
        and started_at <= ${now} and (ended_at is null or ended_at > ${ago(30)})) d
    cross join lateral (
      select json_agg(json_build_array(day, score) order by day) as points from (
        select distinct on (day) floor(extract(epoch from recorded_at) / 86400)::int as day, health_score as score
        from prediction_history where tenant_id = ${tenantId} and machine_id = m and recorded_at >= ${ago(30)}
        order by day, recorded_at) first_of_day) h`
}
