import type postgres from 'postgres'
import { decodeBlock } from '../../src/readings/codec/block.ts'
import { decodeInstants } from '../../src/readings/codec/instants.ts'
import { decodeStatistics, type Statistics } from '../../src/readings/codec/statistics.ts'
import { readTailBody } from '../../src/readings/codec/tail-body.ts'

/** What fault rows ask about readings that move between the tables of the store, beside `stored-readings.ts`. */

const [HOUR_MS, DAY_MS] = [3_600_000, 86_400_000]

/** The last statements of the transactions that move readings, with the trigger that delays them. */
const MOVES = {
  dividing: { trigger: 'delete on reading_arrivals', statement: 'delete from "?reading_arrivals' },
  sealing: { trigger: 'insert on reading_blocks_open', statement: 'insert into "?reading_blocks_open' },
  'emptying the tail': { trigger: 'delete on reading_tail', statement: 'delete from "?reading_tail' },
  merging: { trigger: 'delete on reading_blocks_open', statement: 'delete from "?reading_blocks_open' },
  retention: { trigger: 'insert on reading_hours', statement: 'insert into "?reading_hours' },
} as const

export type Move = keyof typeof MOVES
export const ALL_MOVES = Object.keys(MOVES) as Move[]

/** Delays each move of readings when its work is done and before it commits. */
export async function slowMoves(owner: postgres.Sql, seconds: number): Promise<void> {
  await owner.unsafe(
    `create function slow_move() returns trigger language plpgsql as $$ begin perform pg_sleep(${seconds}); return null; end $$`,
  )
  for (const [i, { trigger }] of Object.values(MOVES).entries())
    await owner.unsafe(`create trigger slow_move_${i} after ${trigger} for each statement execute function slow_move()`)
}

/** Whether this move is delayed at this moment. */
export async function isMoving(owner: postgres.Sql, move: Move): Promise<boolean> {
  const [row] = await owner`
    select from pg_stat_activity
    where datname = current_database() and wait_event = 'PgSleep' and query ~ ${`^\\s*${MOVES[move].statement}\\M`}`
  return row !== undefined
}

/** Readings of arrivals and of the tail in rows that begin before an instant (Unix ms). */
export async function tailBefore(owner: postgres.Sql, at: number): Promise<number> {
  const [row] = await owner<[{ n: number }]>`
    select coalesce(sum(n), 0)::float8 as n
    from (select t0, n from reading_arrivals union all select t0, n from reading_tail) r where t0 < ${new Date(at)}`
  return row.n
}

/** Readings of day blocks that were merged before their retention passed: the others stay for a week. */
export async function mergedInTime(owner: postgres.Sql, rawDays: number): Promise<number> {
  const [row] = await owner<[{ n: number }]>`
    select coalesce(sum(n), 0)::float8 as n from reading_blocks
    where sealed_at < date_trunc('day', t0, 'UTC') + make_interval(days => ${rawDays + 1})`
  return row.n
}

/** How many readings retention has turned into statistics. */
export async function removedReadings(owner: postgres.Sql): Promise<number> {
  const [row] = await owner<[{ n: number }]>`select coalesce(sum(n), 0)::float8 as n from reading_hours`
  return row.n
}

/** What retention has left of the readings of a series on a UTC day. */
export interface RemovedDay {
  seriesId: number
  tenantId: string
  machine: string
  metric: string
  unit: string
  /** the count beside the statistics */
  n: number
  hours: Statistics[]
  /** Unix ms, ascending */
  instants: Float64Array
}

/** @yields each series and day of which retention has removed readings */
export async function* removedDays(owner: postgres.Sql): AsyncGenerator<RemovedDay> {
  const rows = owner<(Omit<RemovedDay, 'hours' | 'instants'> & { hours: Buffer; times: Buffer | null })[]>`
    select s.id as "seriesId", s.tenant_id as "tenantId", m.machine_identifier as machine, s.metric, s.unit, h.n, h.hours, t.times
    from reading_hours h
    join series s on s.tenant_id = h.tenant_id and s.id = h.series_id
    join machines m on m.tenant_id = s.tenant_id and m.id = s.machine_id
    left join reading_minutes t on t.tenant_id = h.tenant_id and t.series_id = h.series_id and t.day = h.day`.cursor(100)
  for await (const page of rows)
    for (const { hours, times, ...day } of page)
      yield {
        ...day,
        hours: decodeStatistics(hours, HOUR_MS),
        instants: times ? decodeInstants(times) : new Float64Array(0),
      }
}

interface BlockRow {
  series: number
  t0: number
  t1: number
  n: number
  times: Buffer
  vals: Buffer
}

/**
 * Reads every block and every row of arrivals and of the tail, and checks what the store promises of them: they decode, their counts and
 * times are right, and the blocks of a series neither overlap nor cross a UTC day.
 * @returns what is wrong
 */
export async function brokenInvariants(owner: postgres.Sql): Promise<string[]> {
  const broken: string[] = []
  const check = (what: string, work: () => boolean) => {
    try {
      if (!work()) broken.push(what)
    } catch (error) {
      broken.push(`${what}: ${(error as Error).message}`)
    }
  }
  let last: BlockRow | undefined
  const isInOrder = (block: BlockRow) =>
    (last?.series !== block.series || last.t1 < block.t0) && Math.floor(block.t0 / DAY_MS) === Math.floor(block.t1 / DAY_MS)
  const isWhole = ({ n, times: encoded, vals, t0, t1 }: BlockRow) => {
    const { length, times } = decodeBlock(n, encoded, vals)
    return length === n && times[0] === t0 && times[n - 1] === t1
  }
  const blocks = owner<BlockRow[]>`
    select series_id as series, (extract(epoch from t0) * 1000)::float8 as t0, (extract(epoch from t1) * 1000)::float8 as t1, n, times, vals
    from (
      select series_id, t0, t1, n, times, vals from reading_blocks
      union all
      select series_id, t0, t1, n, times, vals from reading_blocks_open) b
    order by 1, 2`.cursor(100)
  for await (const page of blocks)
    for (const block of page) {
      const name = `block of series ${block.series} from ${new Date(block.t0).toISOString()}`
      check(`${name} overlaps another, or another day`, () => isInOrder(block))
      check(`${name} is not what its row says`, () => isWhole(block))
      last = block
    }
  const rows = owner<{ id: string; n: number; body: Buffer }[]>`
    select id, n, body from reading_arrivals union all select id, n, body from reading_tail`.cursor(100)
  for await (const page of rows)
    for (const { id, n, body } of page) {
      let found = 0
      const count = (_: number, times: Float64Array) => {
        found += times.length
      }
      check(`row ${id} of arrivals or of the tail is not what it says`, () => {
        readTailBody(body, () => true, count)
        return found === n
      })
    }
  return broken
}
