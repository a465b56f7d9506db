import { ADVISORY_LOCKS } from '../../../../db/advisory-locks.ts'
import { dbError, retryCollisions } from '../../../../db/errors.ts'
import type { Sql, TransactionSql } from '../../../../db/pools.ts'
import { deviationsOf, meanOf, NUMERIC_VALUE_OUT_OF_RANGE } from './statistics.ts'

/** Where readings arrive late, more of the same hour come soon: they are waited for this long, so that each hour is rolled up once and not often. */
const SETTLE_SECONDS = 120
/** A portion is meant to take about this long, so that ingest gets its turn on the disk and a stop is not waited for. */
const PORTION_MS = 250
const [SMALLEST, LARGEST] = [1, 256]
const HOUR_MS = 3_600_000

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
        const [lock] = await tx<{ ours: boolean }[]>`select pg_try_advisory_xact_lock(${ADVISORY_LOCKS.rollUp}) as ours`
        if (lock?.ours) await writeAll(tx, due, areExtreme)
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

async function writeAll(tx: TransactionSql, due: readonly Marked[], areExtreme: boolean): Promise<void> {
  const [line] = await tx<{ until: Date | null }[]>`select max(upper) as until from readings_dropped`
  const ranges =
    line?.until && due.some(({ hour }) => hour < (line.until as Date))
      ? await tx<Range[]>`select lower, upper from readings_dropped`
      : []
  const isReduced = ({ hour }: Marked) => ranges.some(({ lower, upper }) => lower <= hour && hour < upper)
  for (const one of due.filter(isReduced)) await addToRollups(tx, one, areExtreme)
  const others = due.filter((one) => !isReduced(one))
  if (others.length > 0) await writeRollups(tx, others, areExtreme)
}

interface Range {
  lower: Date
  upper: Date
}

/**
 * Where readings were dropped, those that come later are added to what is known of their hour and its minutes, and are dropped as well. Whoever
 * repeats a whole hour is recognised; readings that are repeated one by one more than a week later are not, and count twice.
 */
async function addToRollups(tx: TransactionSql, { seriesId, hour }: Marked, areExtreme: boolean): Promise<void> {
  const end = new Date(hour.getTime() + HOUR_MS)
  const put = (table: 'rollup_hours' | 'rollup_minutes') => {
    const [it, them] = [tx(table), tx`excluded`]
    const sum = tx`(${it}.n + ${them}.n)`
    const part = (of: typeof it | typeof them) =>
      areExtreme
        ? tx`case when abs(${of}.mean) < 1e-140 then 0 else ${of}.mean * (${of}.n::float8 / ${sum}) end`
        : tx`${of}.mean * (${of}.n::float8 / ${sum})`
    return tx`on conflict (series_id, ts) do update set n = ${sum}, mean = ${part(it)} + ${part(them)},
      m2 = ${areExtreme ? tx`null` : tx`${it}.m2 + ${them}.m2 + (${them}.mean - ${it}.mean) ^ 2 * (${it}.n::float8 * ${them}.n / ${sum})`},
      low = least(${it}.low, ${them}.low), high = greatest(${it}.high, ${them}.high),
      last = case when ${them}.last_at > ${it}.last_at then ${them}.last else ${it}.last end, last_at = greatest(${it}.last_at, ${them}.last_at)
      where (${it}.n, ${it}.mean, ${it}.low, ${it}.high, ${it}.last_at) is distinct from (${them}.n, ${them}.mean, ${them}.low, ${them}.high, ${them}.last_at)`
  }
  const figures = tx`count(*)::int as n, ${meanOf(tx, areExtreme)} as mean, ${deviationsOf(tx, areExtreme)} as m2, min(r.value) as low,
    max(r.value) as high, (array_agg(r.value order by r.ts desc))[1] as last, max(r.ts) as last_at`
  await tx`delete from rollup_marks where series_id = ${seriesId} and hour = ${hour}`
  const columns = tx`(series_id, ts, n, mean, m2, low, high, last, last_at)`
  const mine = tx`readings r where r.series_id = ${seriesId} and r.ts >= ${hour} and r.ts < ${end}`
  await tx`insert into rollup_minutes ${columns}
    select ${seriesId}::int, date_bin('1 minute', r.ts, 'epoch'::timestamptz), ${figures} from ${mine} group by 2 ${put('rollup_minutes')}`
  await tx`insert into rollup_hours ${columns} select ${seriesId}::int, ${hour}::timestamptz, ${figures} from ${mine} having count(*) > 0 ${put('rollup_hours')}`
  await tx`delete from ${mine}`
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
