import type { TransactionSql } from '../../db/pools.ts'
import type { SeriesSpan, SortedReadings } from '../sorted-readings.ts'
import { type Baseline, bandOf, type EvaluatedSpan, type Excursion } from './excursions.ts'

/** A flush has moved the newest reading of a series. */
export interface Move {
  span: SeriesSpan
  /** Unix ms of the newest reading now */
  at: number
  /** Unix ms of the newest reading before; -Infinity for none */
  before: number
  /** an excursion was open */
  wasAnomalous: boolean
}

/** An excursion of late readings whose begin may lie in an earlier one. */
export interface LateExcursion {
  span: SeriesSpan
  excursion: Excursion
  /** the stored reading before it; null for none */
  last: { at: number; value: number } | null
}

/**
 * Closes excursions that ended and stores new ones. The entry of the newest reading says whether an excursion is open; its row is
 * locked, hence any replica can continue with the next readings of the series. Sent, not awaited.
 */
export function saveAnomalies(
  tx: TransactionSql,
  { spans, timestamps }: SortedReadings,
  moves: readonly Move[],
  late: readonly LateExcursion[],
): void {
  const begun = spans
    .filter(({ evaluated }) => evaluated)
    .flatMap(({ seriesId, evaluated }) => evaluated?.excursions.map((excursion) => ({ seriesId, evaluated, excursion })) ?? [])
  if (begun.length === 0 && !moves.some(({ wasAnomalous }) => wasAnomalous)) return
  const column = (value: (move: Move) => unknown) => `{${moves.map((move) => value(move) ?? 'null').join()}}`
  const moved = tx`
    select s as series, to_timestamp(at / 1000) as at, to_timestamp(before / 1000) as before, stood, to_timestamp(calm / 1000) as calm
    from unnest(${column(({ span }) => span.seriesId)}::text::int[], ${column(({ at }) => at)}::text::float8[],
      ${column(({ before }) => (before === Number.NEGATIVE_INFINITY ? null : before))}::text::float8[],
      ${column(({ wasAnomalous }) => wasAnomalous)}::text::bool[], ${column(({ span }) => calmAt(span, timestamps))}::text::float8[]) n(s, at, before, stood, calm)`
  // the usual case: an excursion may have ended, and none began
  if (begun.length === 0) {
    tx`
      with moved as (${moved})
      update anomaly_events e set ended_at = case when m.calm > m.before then m.calm else m.at end
      from moved m where m.stood and e.series_id = m.series and e.ended_at is null`.execute()
    return
  }
  const array = (value: (one: Begun, i: number) => unknown) => `{${begun.map((one, i) => value(one, i) ?? 'null').join()}}`
  const brokeOff = new Map(late.map((one) => [one.excursion, brokeOffAt(one)]))
  tx`
    with moved as materialized (${moved}), begun as materialized (
      select i, t, m, s, metric, unit, v, sigma, mean, sd, to_timestamp(started / 1000) as started, to_timestamp(last / 1000) as last,
        to_timestamp(ended / 1000) as ended, to_timestamp(calm / 1000) as calm, to_timestamp(broke / 1000) as broke
      from unnest(${array((_, i) => i)}::text::int[], ${begun.map((b) => b.evaluated.tenantId)}::uuid[], ${begun.map((b) => b.evaluated.machineId)}::uuid[],
        ${array((b) => b.seriesId)}::text::int[], ${begun.map((b) => b.evaluated.metric)}::text[], ${begun.map((b) => b.evaluated.unit)}::text[],
        ${array((b) => b.excursion.value)}::text::float8[], ${array((b) => b.excursion.sigma)}::text::float8[],
        ${array((b) => b.evaluated.baseline?.mean)}::text::float8[], ${array((b) => b.evaluated.baseline?.stdDev)}::text::float8[],
        ${array((b) => b.excursion.startedAt)}::text::float8[], ${array((b) => b.excursion.lastAt)}::text::float8[],
        ${array((b) => b.excursion.endedAt)}::text::float8[], ${array((b) => b.excursion.calmAt)}::text::float8[],
        ${array((b) => brokeOff.get(b.excursion))}::text::float8[])
        n(i, t, m, s, metric, unit, v, sigma, mean, sd, started, last, ended, calm, broke)
    ), told as materialized (
      -- an excursion may continue the open one, be new, or be late
      select b.*, m.series is not null and (m.before is null or b.last > m.before) as is_live,
        m.stood and b.last > m.before and (b.calm is null or b.calm <= m.before) as goes_on
      from begun b left join moved m on m.series = b.s
    ), closed as (
      update anomaly_events e set ended_at = case when g.i is not null then g.ended when m.calm > m.before then m.calm else m.at end
      from moved m left join told g on g.s = m.series and g.goes_on
      where m.stood and (g.i is null or g.ended is not null) and e.series_id = m.series and e.ended_at is null
    ), joined as (
      -- a late one begins where the stored readings before it broke off
      update anomaly_events e set ended_at = coalesce(b.ended, b.last)
      from told b where not b.is_live and b.calm is null and e.series_id = b.s and e.ended_at = b.broke
        and not exists (select from anomaly_events o where o.series_id = b.s and o.started_at <= b.started and coalesce(o.ended_at, 'infinity') >= b.started)
      returning b.i
    )
    insert into anomaly_events (tenant_id, machine_id, series_id, metric_name, unit, value, sigma, baseline_mean, baseline_std_dev, started_at, ended_at)
    select t, m, s, metric, unit, v, sigma, mean, sd, started, case when is_live then ended else coalesce(ended, last) end from told b
    where case when is_live then goes_on is not true
      else b.i not in (select i from joined) and not exists (
        select from anomaly_events o where o.series_id = b.s and o.started_at <= b.started and coalesce(o.ended_at, 'infinity') >= b.started) end
    order by s, started on conflict do nothing`.execute()
}

interface Begun {
  seriesId: number
  evaluated: EvaluatedSpan
  excursion: Excursion
}

/** Unix ms of the stored reading before a late excursion, when it is outside the band too. */
function brokeOffAt({ span, last }: LateExcursion): number | null {
  const baseline = span.evaluated?.baseline
  return last && baseline && isOutside(last.value, baseline) ? last.at : null
}

function isOutside(value: number, baseline: Baseline): boolean {
  const { low, high } = bandOf(baseline)
  return value < low || value > high
}

/** The instant of the first reading inside the band; of a series without a baseline that of the first reading. */
const calmAt = ({ evaluated, from }: SeriesSpan, timestamps: Float64Array): number | null =>
  evaluated ? evaluated.firstCalmAt : (timestamps[from] as number)
