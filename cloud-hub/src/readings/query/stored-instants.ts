import type { TransactionSql } from '../../db/pools.ts'
import { findBlockTimes } from '../codec/block.ts'
import { indexAtOrAfter } from '../codec/columns.ts'
import { decodeInstants } from '../codec/instants.ts'
import { readTailBody } from '../codec/tail-body.ts'
import { GROUP_BITS } from '../series-group.ts'
import type { SeriesSpan } from '../sorted-readings.ts'
import { visitRows } from './visit-rows.ts'

const DAY_MS = 86_400_000

/** The readings of a span on one UTC day. */
interface DayOfSpan {
  span: SeriesSpan
  /** indexes of its readings, `to` exclusive */
  from: number
  to: number
  /** Unix ms of the day's begin, and of the first and last reading */
  day: number
  first: number
  last: number
}

interface Found {
  /** index of the {@link DayOfSpan}; -1 for a row of the tail or of arrivals */
  day: number
  kind: 'block' | 'removed' | 'tail'
  /** readings of a block */
  n: number
  bytes: Buffer
}

/**
 * The instants of these spans that are stored already, removed readings included. One statement reads all levels, because a
 * sealer may move readings between two. Call it after the newest readings of the series are locked.
 * @param timestamps Unix ms, ascending within each span
 */
export async function storedInstants(
  tx: TransactionSql,
  timestamps: Float64Array,
  spans: readonly SeriesSpan[],
): Promise<Map<SeriesSpan, Set<number>>> {
  const stored = new Map(spans.map((span) => [span, new Set<number>()]))
  const bySeries = new Map(spans.map((span) => [span.seriesId, span]))
  const days = spans.flatMap((span) => daysOf(span, timestamps))
  const match = (span: SeriesSpan, times: Float64Array) => {
    const found = stored.get(span) as Set<number>
    let low = 0
    for (let i = indexAtOrAfter(timestamps, span.from, span.to, times[0] as number); i < span.to && low < times.length; i++) {
      low = indexAtOrAfter(times, low, times.length, timestamps[i] as number)
      if (times[low] === timestamps[i]) found.add(timestamps[i] as number)
    }
  }
  await visitRows(locate(tx, days, machinesOf(spans, timestamps)), ({ day, kind, n, bytes }) => {
    if (kind === 'tail')
      readTailBody(
        bytes,
        (id) => bySeries.has(id),
        (id, times) => match(bySeries.get(id) as SeriesSpan, times),
        false,
      )
    else if (kind === 'removed') match((days[day] as DayOfSpan).span, decodeInstants(bytes))
    else {
      const { span, from, to } = days[day] as DayOfSpan
      const found = stored.get(span) as Set<number>
      findBlockTimes(n, bytes, { times: timestamps, from, to }, (i) => found.add(timestamps[i] as number))
    }
  })
  return stored
}

function daysOf(span: SeriesSpan, timestamps: Float64Array): DayOfSpan[] {
  const days: DayOfSpan[] = []
  for (let i = span.from; i < span.to; ) {
    const first = timestamps[i] as number
    const day = Math.floor(first / DAY_MS) * DAY_MS
    const from = i
    i = indexAtOrAfter(timestamps, i, span.to, day + DAY_MS)
    days.push({ span, from, to: i, day, first, last: timestamps[i - 1] as number })
  }
  return days
}

interface MachineRange {
  tenantId: string
  machineId: string
  first: number
  last: number
  /** lowest and highest series id */
  low: number
  high: number
}

function machinesOf(spans: readonly SeriesSpan[], timestamps: Float64Array): MachineRange[] {
  const machines = new Map<string, MachineRange>()
  for (const { seriesId, from, to, latest } of spans) {
    const { tenantId, machineId } = latest.row
    const [first, last] = [timestamps[from] as number, timestamps[to - 1] as number]
    const one = machines.get(machineId)
    if (!one) {
      machines.set(machineId, { tenantId, machineId, first, last, low: seriesId, high: seriesId })
      continue
    }
    one.first = Math.min(one.first, first)
    one.last = Math.max(one.last, last)
    one.low = Math.min(one.low, seriesId)
    one.high = Math.max(one.high, seriesId)
  }
  return [...machines.values()]
}

function locate(tx: TransactionSql, days: readonly DayOfSpan[], machines: readonly MachineRange[]) {
  const day = (value: (one: DayOfSpan) => unknown) => `{${days.map(value).join()}}`
  const machine = (value: (one: MachineRange) => unknown) => `{${machines.map(value).join()}}`
  const blocks = (table: 'reading_blocks' | 'reading_blocks_open') => tx`
    select b.n, b.times from ${tx(table)} b
    where b.tenant_id = w.t and b.series_id = w.s and b.t0 >= w.day and b.t0 <= w.last and b.t1 >= w.first`
  return tx<Found[]>`
    with wanted as materialized (
      select ord::int - 1 as ord, t, s, to_timestamp(day / 1000) as day, to_timestamp(first / 1000) as first, to_timestamp(last / 1000) as last
      from unnest(${day(({ span }) => span.latest.row.tenantId)}::text::uuid[], ${day(({ span }) => span.seriesId)}::text::int[],
        ${day((d) => d.day)}::text::float8[], ${day((d) => d.first)}::text::float8[], ${day((d) => d.last)}::text::float8[])
        with ordinality w(t, s, day, first, last, ord)
    )
    select w.ord as day, 'block' as kind, b.n, b.times as bytes from wanted w cross join lateral (
      ${blocks('reading_blocks')} union all ${blocks('reading_blocks_open')}) b
    union all
    select w.ord, 'removed', 0, m.times from wanted w join reading_minutes m on m.tenant_id = w.t and m.series_id = w.s
      and m.day = (w.day at time zone 'UTC')::date
    union all
    select -1, 'tail', r.n, r.body
    from unnest(${machine((m) => m.tenantId)}::text::uuid[], ${machine((m) => m.machineId)}::text::uuid[], ${machine((m) => m.first)}::text::float8[],
      ${machine((m) => m.last)}::text::float8[], ${machine((m) => m.low)}::text::int[], ${machine((m) => m.high)}::text::int[]) w(t, m, first, last, low, high)
    cross join lateral (select n, body from reading_tail r where r.tenant_id = w.t and r.machine_id = w.m
      and r.t0 <= to_timestamp(w.last / 1000) and r.t1 >= to_timestamp(w.first / 1000) and r.s0 <= w.high and r.s1 >= w.low) r
    union all
    select -1, 'tail', r.n, r.body
    from (select t, s >> ${GROUP_BITS}::int as g, min(first) as first, max(last) as last from wanted group by 1, 2) w
    cross join lateral (select n, body from reading_arrivals r where r.tenant_id = w.t and r.series_group = w.g
      and r.t0 <= w.last and r.t1 >= w.first) r`
}
