import { dbError, retryCollisions } from '../../../db/errors.ts'
import type { Sql, TransactionSql } from '../../../db/pools.ts'
import { deviationsOf, meanOf, NUMERIC_VALUE_OUT_OF_RANGE } from './statistics.ts'

/** Where readings arrive late, more of the same hour come soon: they are waited for this long, so that each hour is rolled up once and not often. */
const SETTLE_SECONDS = 120
/** A portion is meant to take about this long, so that ingest gets its turn on the disk and a stop is not waited for. */
const PORTION_MS = 250
const [SMALLEST, LARGEST] = [1, 256]
/** Any number: one replica rolls up at a time. */
const LOCK = 4_711_002

interface Marked {
  seriesId: number
  hour: Date
}

/** How a turn went on so far. */
interface Turn {
  settleSeconds: number
  /** marks behind this one are next */
  after: Marked
  /** hours of a portion */
  size: number
}

/**
 * Computes the rollups of marked hours anew from their readings, portion by portion, for about as long as `forMs`. A portion is one transaction on
 * one snapshot that deletes the marks it sees: a flush that commits meanwhile has brought a mark of its own. A kill leaves the marks. Safe in several
 * replicas at once. What it costs grows with the readings of the marked hours.
 * @returns series hours that were rolled up
 */
export async function rollUpMarked(allTenants: Sql, forMs = 2_000, settleSeconds = SETTLE_SECONDS): Promise<number> {
  const until = performance.now() + forMs
  const turn: Turn = { settleSeconds, after: { seriesId: 0, hour: new Date(0) }, size: 32 }
  let done = 0
  do {
    const due = await nextDue(allTenants, turn)
    if (due.length === 0) return done
    for (const month of new Set(due.map(({ hour }) => hour.toISOString().slice(0, 7))))
      await allTenants`select ensure_minute_partition(${`${month}-01T00:00:00Z`})`
    const started = performance.now()
    if (!(await rollUp(allTenants, due))) return done
    const took = performance.now() - started
    turn.after = due.at(-1) as Marked
    turn.size = Math.max(SMALLEST, Math.min(LARGEST, Math.round((due.length * PORTION_MS) / took), turn.size * 2))
    done += due.length
  } while (performance.now() < until)
  return done
}

const nextDue = (allTenants: Sql, { settleSeconds, after, size }: Turn) => allTenants<Marked[]>`
  select distinct series_id as "seriesId", hour from rollup_marks
  where (series_id, hour) > (${after.seriesId}, ${after.hour}) and marked_at <= now() - make_interval(secs => ${settleSeconds})
    and hour < (select rolled_until from rollup_state)
  order by series_id, hour limit ${size}`

/** @returns false when another replica is at it */
async function rollUp(allTenants: Sql, due: readonly Marked[]): Promise<boolean> {
  const once = (areExtreme: boolean) =>
    retryCollisions(() =>
      allTenants.begin('isolation level repeatable read', async (tx) => {
        const [lock] = await tx<{ ours: boolean }[]>`select pg_try_advisory_xact_lock(${LOCK}) as ours`
        if (lock?.ours) await writeRollups(tx, due, areExtreme)
        return lock?.ours ?? false
      }),
    )
  try {
    return await once(false)
  } catch (error) {
    if (dbError(error)?.code !== NUMERIC_VALUE_OUT_OF_RANGE) throw error
    return once(true)
  }
}

/**
 * The statement in which rollups come to be. Rows that are there already are written over; none has to go, because readings only come. The limit
 * keeps the planner from reading all readings for the sake of a few.
 */
const writeRollups = (tx: TransactionSql, due: readonly Marked[], areExtreme: boolean) => tx`
  with due as materialized (
    select s as series_id, to_timestamp(h) as hour
    from unnest(${`{${due.map((d) => d.seriesId).join()}}`}::text::int[], ${`{${due.map((d) => d.hour.getTime() / 1000).join()}}`}::text::float8[]) d(s, h)
  ), gone as (
    delete from rollup_marks m using due d where m.series_id = d.series_id and m.hour = d.hour
  ), parts as materialized (
    select d.series_id, d.hour, a.minute, a.n, a.mean, a.m2, a.low, a.high, l.value as last, a.last_at
    from due d cross join lateral (
      select date_bin('1 minute', r.ts, 'epoch'::timestamptz) as minute, count(*)::int as n, ${meanOf(tx, areExtreme)} as mean,
        ${deviationsOf(tx, areExtreme)} as m2, min(r.value) as low, max(r.value) as high, max(r.ts) as last_at
      from readings r where r.series_id = d.series_id and r.ts >= d.hour and r.ts < d.hour + interval '1 hour' group by rollup (1)) a
    cross join lateral (select r.value from readings r where r.series_id = d.series_id and r.ts = a.last_at limit 1) l
  ), minutes as (
    insert into rollup_minutes (series_id, ts, n, mean, m2, low, high, last, last_at)
    select series_id, minute, n, mean, m2, low, high, last, last_at from parts where minute is not null
    on conflict (series_id, ts) do update set n = excluded.n, mean = excluded.mean, m2 = excluded.m2, low = excluded.low, high = excluded.high,
      last = excluded.last, last_at = excluded.last_at
  )
  insert into rollup_hours (series_id, ts, n, mean, m2, low, high, last, last_at)
  select series_id, hour, n, mean, m2, low, high, last, last_at from parts where minute is null
  on conflict (series_id, ts) do update set n = excluded.n, mean = excluded.mean, m2 = excluded.m2, low = excluded.low, high = excluded.high,
    last = excluded.last, last_at = excluded.last_at`
