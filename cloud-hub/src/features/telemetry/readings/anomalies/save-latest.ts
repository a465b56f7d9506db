import type { PendingQuery, Row } from 'postgres'
import type { TransactionSql } from '../../../../db/pools.ts'
import type { SeriesSpan, SortedReadings } from '../sorted-readings.ts'

type Fragment = PendingQuery<Row[]>

/** A statement in two parts: the text after `with x as (...)`, and the end. Another `with` query can come before. */
export interface SaveStatement {
  also: Fragment
  last: Fragment
}

interface Newest {
  span: SeriesSpan
  /** index of the newest reading */
  at: number
}

/**
 * Saves the newest reading of each series if it is newer than the stored one. Of equal instants the first counts, because it is
 * stored. Closes excursions that ended and inserts new ones, where a baseline evaluated the readings.
 *
 * The row of the latest reading says whether an excursion is open. The statement updates that row anyway and then holds its lock.
 * Hence any replica can continue with the next readings of the series.
 */
export function saveLatest(tx: TransactionSql, readings: SortedReadings): SaveStatement | null {
  const { spans, timestamps, values, rawTags } = readings
  const newest: Newest[] = []
  let isEvaluated = false
  for (const span of spans) {
    if (span.evaluated) isEvaluated = true
    let at = span.to - 1
    if ((timestamps[at] as number) <= span.newestAt) continue
    while (at > span.from && timestamps[at - 1] === timestamps[at]) at--
    newest.push({ span, at })
  }
  const excursions = spans.flatMap((span) => {
    const { evaluated, seriesId } = span
    return evaluated ? evaluated.excursions.map((excursion) => ({ ...excursion, ...evaluated, seriesId })) : []
  })
  if (newest.length === 0 && excursions.length === 0) return null
  const column = (value: (row: Newest) => unknown) => `{${newest.map(value).join()}}`
  const ids = column(({ span }) => span.seriesId)
  const rows = tx`${ids}::text::int[], ${column(({ at }) => timestamps[at])}::text::float8[], ${column(({ at }) => values[at])}::text::float8[],
    ${newest.map(({ at }) => rawTags[at] as string | null)}::text[]`
  if (!isEvaluated) {
    return {
      also: tx``,
      last: tx`
        insert into latest_readings as l (series_id, ts, value, raw_tag)
        select s, to_timestamp(t / 1000), v, tag from unnest(${rows}) n(s, t, v, tag)
        on conflict (series_id) do update set ts = excluded.ts, value = excluded.value, raw_tag = excluded.raw_tag where excluded.ts > l.ts`,
    }
  }
  const moved = tx`
    , moved as (
      insert into latest_readings as l (series_id, ts, value, raw_tag, is_anomalous)
      select s, to_timestamp(t / 1000), v, tag, f from unnest(${rows}, ${column(({ span }) => span.evaluated?.isAnomalous ?? false)}::text::bool[]) n(s, t, v, tag, f)
      on conflict (series_id) do update set ts = excluded.ts, value = excluded.value, raw_tag = excluded.raw_tag, is_anomalous = excluded.is_anomalous
        where excluded.ts > l.ts
      returning new.series_id as series, new.ts as at, old.ts as before, coalesce(old.is_anomalous, false) as stood
    ), calm as (
      select s as series, to_timestamp(t / 1000) as at
      from unnest(${ids}::text::int[], ${column(({ span }) => calmAt(span, timestamps) ?? 'null')}::text::float8[]) n(s, t)
    )`
  // the usual case: an excursion may have ended, and none began
  if (excursions.length === 0)
    return {
      also: moved,
      last: tx`
        update anomaly_events e set ended_at = case when c.at > m.before then c.at else m.at end
        from moved m join calm c on c.series = m.series where m.stood and e.series_id = m.series and e.ended_at is null`,
    }
  const array = (value: (row: (typeof excursions)[number], i: number) => unknown) => `{${excursions.map(value).join()}}`
  return {
    also: tx`${moved}, begun as materialized (
      select i, t, m, s, metric, unit, v, sigma, mean, sd, to_timestamp(started / 1000) as started, to_timestamp(last / 1000) as last,
        to_timestamp(ended / 1000) as ended, to_timestamp(calm / 1000) as calm
      from unnest(${array((_, i) => i)}::text::int[], ${excursions.map((e) => e.tenantId)}::uuid[], ${excursions.map((e) => e.machineId)}::uuid[],
        ${array((e) => e.seriesId)}::text::int[], ${excursions.map((e) => e.metric)}::text[], ${excursions.map((e) => e.unit)}::text[],
        ${array((e) => e.value)}::text::float8[], ${array((e) => e.sigma)}::text::float8[], ${array((e) => e.baseline?.mean)}::text::float8[],
        ${array((e) => e.baseline?.stdDev)}::text::float8[], ${array((e) => e.startedAt)}::text::float8[], ${array((e) => e.lastAt)}::text::float8[],
        ${array((e) => e.endedAt ?? 'null')}::text::float8[], ${array((e) => e.calmAt ?? 'null')}::text::float8[])
        n(i, t, m, s, metric, unit, v, sigma, mean, sd, started, last, ended, calm)
    ), told as materialized (
      -- of what was not known before: does it go on with what stood, or is it new? The rest is late
      select b.*, m.series is not null and (m.before is null or b.last > m.before) as is_live,
        m.stood and b.last > m.before and (b.calm is null or b.calm <= m.before) as goes_on
      from begun b left join moved m on m.series = b.s
    ), closed as (
      update anomaly_events e set ended_at = case when g.i is not null then g.ended when c.at > m.before then c.at else m.at end
      from moved m join calm c on c.series = m.series left join told g on g.s = m.series and g.goes_on
      where m.stood and (g.i is null or g.ended is not null) and e.series_id = m.series and e.ended_at is null
    ), joined as (
      -- a late one begins where the readings before it, stored by now, broke off
      update anomaly_events e set ended_at = coalesce(b.ended, b.last)
      from told b where not b.is_live and b.calm is null and e.series_id = b.s
        and e.ended_at = (
          select case when abs(r.value - b.mean) > greatest(3 * b.sd, abs(b.mean) * 1e-9) then r.ts end
          from readings r where r.series_id = b.s and r.ts < b.started order by r.ts desc limit 1)
        and not exists (select from anomaly_events o where o.series_id = b.s and o.started_at <= b.started and coalesce(o.ended_at, 'infinity') >= b.started)
      returning b.i
    )`,
    last: tx`
      insert into anomaly_events (tenant_id, machine_id, series_id, metric_name, unit, value, sigma, baseline_mean, baseline_std_dev, started_at, ended_at)
      select t, m, s, metric, unit, v, sigma, mean, sd, started, case when is_live then ended else coalesce(ended, last) end from told b
      where case when is_live then goes_on is not true
        else b.i not in (select i from joined) and not exists (
          select from anomaly_events o where o.series_id = b.s and o.started_at <= b.started and coalesce(o.ended_at, 'infinity') >= b.started) end
      order by s, started on conflict do nothing`,
  }
}

/** The instant of the first reading inside the band; of a series without a baseline that of the first reading. */
const calmAt = ({ evaluated, from }: SeriesSpan, timestamps: Float64Array): number | null =>
  evaluated ? evaluated.firstCalmAt : (timestamps[from] as number)
