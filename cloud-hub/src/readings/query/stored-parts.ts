import type { PendingQuery, Row } from 'postgres'
import type { TransactionSql } from '../../db/pools.ts'
import type { NeighbourRequest, Range } from '../range.ts'
import { GROUP_BITS } from '../series-group.ts'

type Fragment = PendingQuery<Row[]>

/** In the order in which statements return them. */
export const [TAIL, BLOCK, HOURS, MINUTES] = [0, 1, 2, 3]

/** A row of the store, as the statements of this file find it. They return kinds in order, and by series and time. */
export interface StoredPart {
  /**
   * TAIL: sections of several series, of the tail or of arrivals. BLOCK: readings of one. HOURS, MINUTES: statistics of removed readings
   * of one, by day.
   */
  kind: number
  /** index of the series in the request; 0 for the tail */
  place: number
  /** number of readings */
  n: number
  /** instants of a block; null where the read does not need them */
  times: Buffer | null
  /** values of a block, or the body of a row with sections */
  vals: Buffer | null
  /** statistics by hour of a block whose readings are not needed, or of removed readings */
  stats: Buffer | null
}

export interface PartInRange extends StoredPart {
  /** of a read of readings: Unix ms of the last reading of all blocks of the series in the range, cut ones included; else 0 */
  lastAt: number
}

/** What a read needs of the range. */
export type Need =
  /** the first `max` readings of each series, at least */
  | { what: 'readings'; max: number }
  /** blocks that lie wholly in the range without instants, others without values */
  | { what: 'counts' }
  /** blocks that lie wholly in these hours (Unix ms) as statistics; minutes of all removed readings, or of the ends of the range */
  | { what: 'statistics'; wholeFrom: number; wholeUntil: number; minutes: 'all' | 'ends' }

const DAY_MS = 86_400_000
const startOfDay = (at: number) => new Date(Math.floor(at / DAY_MS) * DAY_MS)
const array = (values: readonly (number | string)[]) => `{${values.join()}}`
const instantOf = (tx: TransactionSql, column: Fragment) => tx`(extract(epoch from ${column}) * 1000)::float8`

/**
 * Locates everything that is stored of some series in a range, from one snapshot: every reading is in exactly one part. PostgreSQL
 * reads the bytes of a part only where it returns them.
 */
export function storedIn(tx: TransactionSql, range: Range, need: Need): PendingQuery<PartInRange[]> {
  const { tenantId, seriesIds, from, until } = range
  // a plan for each range would cost as much as the query, with a partition for each week
  tx`set local plan_cache_mode = force_generic_plan`.execute()
  const branches = [tailBranch(tx, range), arrivalsBranch(tx, range), blockBranch(tx, range, need)]
  if (need.what === 'statistics') branches.push(hoursBranch(tx, range), minutesBranch(tx, range, need.minutes))
  return tx<PartInRange[]>`
    with wanted as materialized (
      select w.place::int - 1 as place, s.id, s.machine_id
      from unnest(${array(seriesIds)}::text::int[]) with ordinality w(id, place)
      join series s on s.tenant_id = ${tenantId} and s.id = w.id
      where ${from < until}
    )
    ${branches.reduce((all, branch) => tx`${all} union all ${branch}`)}
    order by kind, place, t0`
}

/** Rows of each machine once, however many of its series are wanted. */
const tailBranch = (tx: TransactionSql, { tenantId, from, until }: Range) => tx`
  select ${TAIL}::int as kind, 0 as place, r.n, 0::float8 as t0, 0::float8 as "lastAt", null::bytea as times,
    r.body as vals, null::bytea as stats
  from (select machine_id, min(id) as low, max(id) as high from wanted group by machine_id) m
  cross join lateral (
    select r.n, r.body from reading_tail r
    where r.tenant_id = ${tenantId} and r.machine_id = m.machine_id and r.s0 <= m.high and r.s1 >= m.low
      and r.t0 < ${new Date(until)} and r.t1 >= ${new Date(from)}) r`

/** Rows of each group of series once. */
const arrivalsBranch = (tx: TransactionSql, { tenantId, from, until }: Range) => tx`
  select ${TAIL}::int, 0, r.n, 0, 0, null, r.body, null
  from (select distinct id >> ${GROUP_BITS}::int as series_group from wanted) g
  cross join lateral (
    select r.n, r.body from reading_arrivals r
    where r.tenant_id = ${tenantId} and r.series_group = g.series_group
      and r.t0 < ${new Date(until)} and r.t1 >= ${new Date(from)}) r`

function blockBranch(tx: TransactionSql, { tenantId, from, until }: Range, need: Need): Fragment {
  const inRange = (table: 'reading_blocks' | 'reading_blocks_open') => tx`
    select b.t0, b.t1, b.n, b.times, b.vals, b.hours from ${tx(table)} b
    where b.tenant_id = ${tenantId} and b.series_id = w.id
      and b.t0 >= ${startOfDay(from)} and b.t0 < ${new Date(until)} and b.t1 >= ${new Date(from)}`
  const isWhole =
    need.what === 'statistics'
      ? tx`b.hours <> '' and b.t0 >= ${new Date(need.wholeFrom)} and b.t1 < ${new Date(need.wholeUntil)}`
      : tx`b.t0 >= ${new Date(from)} and b.t1 < ${new Date(until)}`
  const found = tx`
    from wanted w cross join lateral (${inRange('reading_blocks')} union all ${inRange('reading_blocks_open')}) b`
  // only a read of readings pays for a sort by series
  const blocks =
    need.what === 'readings'
      ? // a block that the start of the range cuts may have none of the readings
        tx`
        select * from (
          select w.place, b.*, false as is_whole, max(b.t1) over (partition by w.place) as last_at,
            coalesce(sum(case when b.t0 >= ${new Date(from)} then b.n else 0 end) over (
              partition by w.place order by b.t0 rows between unbounded preceding and 1 preceding), 0) as earlier
          ${found}) b
        where b.earlier < ${need.max}::float8`
      : tx`select w.place, b.*, ${isWhole} as is_whole, to_timestamp(0) as last_at ${found}`
  return tx`
    select ${BLOCK}::int, b.place, b.n, ${instantOf(tx, tx`b.t0`)}, ${instantOf(tx, tx`b.last_at`)},
      case when not b.is_whole then b.times end,
      case when not b.is_whole and ${need.what !== 'counts'} then b.vals end,
      case when b.is_whole and ${need.what === 'statistics'} then b.hours end
    from (${blocks}) b`
}

const dayOf = (tx: TransactionSql, at: number) => tx`(${startOfDay(at)}::timestamptz at time zone 'UTC')::date`
const startOf = (tx: TransactionSql, day: Fragment) => instantOf(tx, tx`(${day}::timestamp at time zone 'UTC')`)

const hoursBranch = (tx: TransactionSql, { tenantId, from, until }: Range) => tx`
  select ${HOURS}::int, w.place, h.n, ${startOf(tx, tx`h.day`)}, 0, null, null, h.hours
  from wanted w cross join lateral (
    select h.n, h.day, h.hours from reading_hours h
    where h.tenant_id = ${tenantId} and h.series_id = w.id and h.day >= ${dayOf(tx, from)} and h.day <= ${dayOf(tx, until - 1)}) h`

const minutesBranch = (tx: TransactionSql, { tenantId, from, until }: Range, minutes: 'all' | 'ends') => tx`
  select ${MINUTES}::int, w.place, 0, ${startOf(tx, tx`m.day`)}, 0, null, null, m.minutes
  from wanted w cross join lateral (
    select m.day, m.minutes from reading_minutes m
    where m.tenant_id = ${tenantId} and m.series_id = w.id and m.day >= ${dayOf(tx, from)} and m.day <= ${dayOf(tx, until - 1)}
      and (${minutes === 'all'} or m.day = ${dayOf(tx, from)} or m.day = ${dayOf(tx, until - 1)})) m`

/**
 * Locates the blocks, and the rows of the tail and of arrivals, that hold the neighbours of some instants, from one snapshot. A block that
 * several requests need comes once for each, but only the first time with its bytes.
 */
export function storedAround(tx: TransactionSql, requests: readonly NeighbourRequest[]): PendingQuery<StoredPart[]> {
  /** Blocks on one side of an instant, nearest first, until they have as many readings as the request asks for. */
  const blocks = (table: 'reading_blocks' | 'reading_blocks_open', where: Fragment, order: Fragment, most: Fragment) => tx`
    (select b.series_id, b.t0, b.t1, b.n, b.times, b.vals from ${tx(table)} b
    where b.tenant_id = a.tenant_id and b.series_id = a.id and ${where} order by ${order} limit ${most})`
  const nearest = (where: Fragment, order: Fragment, most: Fragment, isWhole: Fragment) => tx`
    select * from (
      select b.*, coalesce(sum(case when ${isWhole} then b.n else 0 end) over (
        order by ${order} rows between unbounded preceding and 1 preceding), 0) as nearer
      from (${blocks('reading_blocks', where, order, most)} union all ${blocks('reading_blocks_open', where, order, most)}) b) b
    where b.nearer < ${most}`
  return tx<StoredPart[]>`
    with asked as materialized (
      select w.place::int - 1 as place, s.tenant_id, s.id, s.machine_id, to_timestamp(w.at / 1000) as at, w.before, w.after
      from unnest(${array(requests.map(({ series }) => series.tenantId))}::text::uuid[],
        ${array(requests.map(({ series }) => series.id))}::text::int[], ${array(requests.map(({ at }) => at))}::text::float8[],
        ${array(requests.map(({ before }) => before))}::text::int[], ${array(requests.map(({ after }) => after))}::text::int[])
        with ordinality w(tenant_id, id, at, before, after, place)
      join series s on s.tenant_id = w.tenant_id and s.id = w.id
    ), near as materialized (
      select a.place, b.* from asked a cross join lateral (
        ${nearest(tx`b.t0 <= a.at`, tx`b.t0 desc`, tx`greatest(a.before, 1)`, tx`b.t1 <= a.at`)}
        union all
        ${nearest(tx`b.t0 > a.at`, tx`b.t0`, tx`a.after`, tx`true`)}) b
    ), bounds as materialized (
      select a.tenant_id, a.machine_id, a.id,
        case when coalesce(sum(b.n) filter (where b.t1 <= a.at), 0) >= a.before then least(min(b.t0), a.at) else '-infinity' end as low,
        case when coalesce(sum(b.n) filter (where b.t0 > a.at), 0) >= a.after then greatest(max(b.t1), a.at) else 'infinity' end as high
      from asked a left join near b on b.place = a.place
      group by a.place, a.tenant_id, a.machine_id, a.id, a.at, a.before, a.after
    )
    select ${TAIL}::int as kind, 0 as place, r.n, 0::float8 as t0, null::bytea as times, r.body as vals,
      null::bytea as stats, 0 as series
    from (
      select tenant_id, machine_id, min(id) as s0, max(id) as s1, min(low) as low, max(high) as high
      from bounds group by tenant_id, machine_id) m
    cross join lateral (
      select r.n, r.body from reading_tail r
      where r.tenant_id = m.tenant_id and r.machine_id = m.machine_id and r.s0 <= m.s1 and r.s1 >= m.s0
        and r.t0 <= m.high and r.t1 >= m.low) r
    union all
    select ${TAIL}::int, 0, r.n, 0, null, r.body, null, 0
    from (
      select tenant_id, id >> ${GROUP_BITS}::int as series_group, min(low) as low, max(high) as high
      from bounds group by 1, 2) g
    cross join lateral (
      select r.n, r.body from reading_arrivals r
      where r.tenant_id = g.tenant_id and r.series_group = g.series_group and r.t0 <= g.high and r.t1 >= g.low) r
    union all
    select ${BLOCK}::int, b.place, b.n, ${instantOf(tx, tx`b.t0`)},
      case when b.repeat = 1 then b.times end, case when b.repeat = 1 then b.vals end, null, b.series_id
    from (select b.*, row_number() over (partition by b.series_id, b.t0 order by b.place) as repeat from near b) b
    order by kind, series, t0, place`
}
