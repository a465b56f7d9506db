import { byteaArray } from '../../db/binary-array.ts'
import type { Sql, TransactionSql } from '../../db/pools.ts'
import { type Block, decodeBlock, encodeBlocks, verifyBlock } from '../codec/block.ts'
import type { Columns } from '../codec/columns.ts'
import { CorruptReadings } from '../codec/corrupt.ts'
import { arrayOf } from './arrays.ts'
import { DAY_MS } from './limits.ts'
import { assertCount, type MachineKey, type Refusal } from './machine.ts'

/** A stored block without its readings. */
export interface StoredBlock {
  seriesId: number
  /** Unix ms of the first and of the last reading */
  t0: number
  t1: number
  n: number
  /** in `reading_blocks_open`, not in `reading_blocks` */
  isOpen: boolean
}

export interface BlockBytes {
  times: Buffer
  vals: Buffer
}

/** A part of a UTC day of a series. */
export interface DayRange {
  seriesId: number
  day: number
  /** Unix ms, both inclusive */
  from: number
  to: number
}

/** The blocks that overlap these ranges, ascending. */
export async function blocksAmong(tx: TransactionSql, tenantId: string, ranges: readonly DayRange[]): Promise<StoredBlock[]> {
  if (ranges.length === 0) return []
  const column = (pick: (range: DayRange) => number) => arrayOf(ranges.map(pick))
  const rows = await tx<StoredBlock[]>`
    select r.series_id as "seriesId", b.*
    from unnest(${column(({ seriesId }) => seriesId)}::text::int[], ${column(({ day }) => day)}::text::float8[],
      ${column(({ from }) => from)}::text::float8[], ${column(({ to }) => to)}::text::float8[]) r(series_id, day, first, last)
    cross join lateral (
      select (extract(epoch from t0) * 1000)::float8 as t0, (extract(epoch from t1) * 1000)::float8 as t1, n, false as "isOpen"
      from reading_blocks b
      where b.tenant_id = ${tenantId} and b.series_id = r.series_id and b.t0 >= to_timestamp(r.day / 1000)
        and b.t0 <= to_timestamp(r.last / 1000)::timestamptz(3) and b.t1 >= to_timestamp(r.first / 1000)::timestamptz(3)
      union all
      select (extract(epoch from t0) * 1000)::float8, (extract(epoch from t1) * 1000)::float8, n, true
      from reading_blocks_open b
      where b.tenant_id = ${tenantId} and b.series_id = r.series_id and b.t0 >= to_timestamp(r.day / 1000)
        and b.t0 <= to_timestamp(r.last / 1000)::timestamptz(3) and b.t1 >= to_timestamp(r.first / 1000)::timestamptz(3)) b`
  return rows.toSorted((a, b) => a.seriesId - b.seriesId || a.t0 - b.t0)
}

const tableOf = (isOpen: boolean) => (isOpen ? 'reading_blocks_open' : 'reading_blocks')

/** The two tables, each with its blocks. */
const byTable = (blocks: readonly StoredBlock[]) =>
  [true, false].map((isOpen) => ({ table: tableOf(isOpen), its: blocks.filter((block) => block.isOpen === isOpen) }))

/** Names blocks by series and t0, and bounds t0 so that PostgreSQL leaves partitions out. */
const isOneOf = (tx: TransactionSql, tenantId: string, blocks: readonly StoredBlock[]) => {
  const starts = blocks.map(({ t0 }) => t0)
  const [first, last] = [starts.reduce((a, b) => Math.min(a, b)), starts.reduce((a, b) => Math.max(a, b))]
  return tx`
    b.tenant_id = ${tenantId} and b.t0 between ${new Date(first)} and ${new Date(last)} and (b.series_id, b.t0) in (
      select s, to_timestamp(a / 1000)::timestamptz(3)
      from unnest(${arrayOf(blocks.map(({ seriesId }) => seriesId))}::text::int[], ${arrayOf(starts)}::text::float8[]) w(s, a))`
}

export const blockKey = ({ seriesId, t0 }: Pick<StoredBlock, 'seriesId' | 't0'>): string => `${seriesId} ${t0}`

/** Reads the readings of blocks, by {@link blockKey}. @throws ChangedMeanwhile */
export async function blockBytes(
  tx: TransactionSql,
  tenantId: string,
  blocks: readonly StoredBlock[],
): Promise<Map<string, BlockBytes>> {
  const found = new Map<string, BlockBytes>()
  for (const { table, its } of byTable(blocks)) {
    if (its.length === 0) continue
    const rows = await tx<(BlockBytes & { seriesId: number; t0: number })[]>`
      select b.series_id as "seriesId", (extract(epoch from b.t0) * 1000)::float8 as t0, b.times, b.vals
      from ${tx(table)} b
      where ${isOneOf(tx, tenantId, its)}`
    for (const row of rows) found.set(blockKey(row), row)
  }
  assertCount('blocks', found.size, blocks.length)
  return found
}

/** @throws CorruptReadings */
export function decodeStored(block: StoredBlock, bytes: ReadonlyMap<string, BlockBytes>): Columns {
  const { times, vals } = bytes.get(blockKey(block)) as BlockBytes
  const columns = decodeBlock(block.n, times, vals)
  if (columns.times[0] !== block.t0 || columns.times[block.n - 1] !== block.t1)
    throw new CorruptReadings('its readings are not of its time')
  return columns
}

/**
 * Encodes readings of a series and decodes them again.
 * @throws CorruptReadings when a reading would not come back bit by bit; RangeError when two are of one instant
 */
export function encodeVerified(seriesId: number, columns: Columns): Block[] {
  const blocks = encodeBlocks(seriesId, columns)
  let readings = 0
  for (const block of blocks) {
    verifyBlock(block, columns, readings)
    readings += block.n
  }
  if (readings !== columns.length) throw new CorruptReadings(`${readings} readings encoded instead of ${columns.length}`)
  return blocks
}

/** @throws ChangedMeanwhile */
export async function deleteBlocks(tx: TransactionSql, tenantId: string, blocks: readonly StoredBlock[]): Promise<void> {
  for (const { table, its } of byTable(blocks)) {
    if (its.length === 0) continue
    const { count } = await tx`delete from ${tx(table)} b where ${isOneOf(tx, tenantId, its)}`
    assertCount(`blocks of ${table}`, count, its.length)
  }
}

/** Bytes of one statement; as text they take twice as many. */
const MAX_BYTES = 4 << 20

/** @param sealedAt for retention, which keeps late readings for a while */
export async function insertBlocks(
  tx: TransactionSql,
  tenantId: string,
  blocks: readonly Block[],
  { isOpen, sealedAt }: { isOpen: boolean; sealedAt: Date },
): Promise<void> {
  for (let from = 0, to = 0; from < blocks.length; from = to) {
    for (let bytes = 0; to < blocks.length && bytes < MAX_BYTES; to++) {
      const { times, vals, hours } = blocks[to] as Block
      bytes += times.length + vals.length + hours.length
    }
    await insertSome(tx, tenantId, blocks.slice(from, to), isOpen, sealedAt)
  }
}

async function insertSome(tx: TransactionSql, tenantId: string, blocks: readonly Block[], isOpen: boolean, sealedAt: Date) {
  const column = (pick: (block: Block) => number) => arrayOf(blocks.map(pick))
  const bytes = (pick: (block: Block) => Buffer) => byteaArray(tx, blocks.map(pick))
  const { count } = await tx`
    insert into ${tx(tableOf(isOpen))} (tenant_id, series_id, t0, t1, n, sealed_at, times, vals, hours)
    select ${tenantId}, s, to_timestamp(t0 / 1000), to_timestamp(t1 / 1000), n, ${sealedAt}, times, vals, hours
    from unnest(${column(({ seriesId }) => seriesId)}::text::int[], ${column(({ t0 }) => t0)}::text::float8[],
      ${column(({ t1 }) => t1)}::text::float8[], ${column(({ n }) => n)}::text::int[], ${bytes(({ times }) => times)},
      ${bytes(({ vals }) => vals)}, ${bytes(({ hours }) => hours)}) b(s, t0, t1, n, times, vals, hours)`
  assertCount('blocks inserted', count, blocks.length)
}

/** All blocks of some series on a UTC day, ascending. */
export async function blocksOfDay(
  tx: TransactionSql,
  tenantId: string,
  seriesIds: readonly number[],
  day: number,
): Promise<StoredBlock[]> {
  const ranges = seriesIds.map((seriesId) => ({ seriesId, day, from: day, to: day + DAY_MS - 1 }))
  return blocksAmong(tx, tenantId, ranges)
}

/** UTC days with open blocks, of all tenants, where no block has come for a while. */
export const openDays = (allTenants: Sql, before: Date, quietSince: Date) => allTenants<(MachineKey & { day: number })[]>`
  select b.tenant_id as "tenantId", s.machine_id as "machineId",
    (extract(epoch from date_trunc('day', b.t0, 'UTC')) * 1000)::float8 as day
  from reading_blocks_open b
  join series s on s.tenant_id = b.tenant_id and s.id = b.series_id
  where b.t0 < ${before}
  group by 1, 2, 3
  having max(b.sealed_at) < ${quietSince}
  order by 3, 1, 2`

export const refuseBlock = (machine: MachineKey, block: StoredBlock, error: Error): Refusal => ({
  ...machine,
  what: `block of series ${block.seriesId} from ${new Date(block.t0).toISOString()} in ${tableOf(block.isOpen)}`,
  reason: error.message,
})

/** What is wrong with the bytes of one series and must not stop the others. */
export const isRefusal = (error: unknown): error is Error => error instanceof CorruptReadings || error instanceof RangeError
