import type { PendingQuery, Row } from 'postgres'
import { ADVISORY_LOCKS } from '../../../../db/advisory-locks.ts'
import { dbError, isLocked } from '../../../../db/errors.ts'
import type { Sql, TransactionSql } from '../../../../db/pools.ts'
import { mergeColumns } from '../codec/block.ts'
import type { Columns } from '../codec/columns.ts'
import { decodeLegacyReadings } from '../query/legacy.ts'
import { blockBytes, blocksAmong, decodeStored, deleteBlocks, encodeVerified, insertBlocks } from '../seal/blocks.ts'
import { DAY_MS, dayOf, mergeEnd } from '../seal/limits.ts'

/** The highest series id. */
const MAX_ID = 2_147_483_647
/** After so many readings a transaction ends with its series. */
const READINGS_AT_ONCE = 1_000_000
/** Series of one transaction. A partition of a year has 31 million readings of a series at 1 Hz, so their rows come day by day. */
const SERIES_AT_ONCE = 16

interface LegacyPartition {
  name: string
  lower: Date
  upper: Date
  packedThrough: number
}

/** What is left to pack. */
export interface PackingLeft {
  partitions: number
  /** packed, and dropped soon */
  packed: number
  /** estimate by PostgreSQL's statistics */
  rows: number
  /** spans of time whose readings retention removed, and whose statistics are not packed */
  removed: number
}

export async function packingLeft(sql: Sql): Promise<PackingLeft> {
  const [row] = await sql<PackingLeft[]>`
    select count(*) filter (where p.packed_at is null)::int as partitions, count(p.packed_at)::int as packed,
      coalesce(sum(greatest(c.reltuples, 0)) filter (where p.packed_at is null), 0)::float8 as rows,
      (select count(*) from legacy_dropped)::int as removed
    from legacy_partitions p left join pg_class c on c.oid = to_regclass(quote_ident(p.name))`
  return row ?? { partitions: 0, packed: 0, rows: 0, removed: 0 }
}

/**
 * Packs the old rows of some series of the newest partition that has rows left, in one transaction with the note how far it is
 * packed. A kill repeats or keeps it as a whole. Replicas share the work: each takes a partition that no other one packs.
 * @returns the number of readings; null when nothing is left for this process
 */
export async function packSome(sql: Sql, now: Date): Promise<number | null> {
  const done = await packNext(sql, now)
  if (done === null || typeof done === 'number') return done
  await makeBlockPartitions(sql, done)
  return 0
}

/** @returns the number of readings; the partition itself when its blocks need partitions first; null when nothing is left */
function packNext(sql: Sql, now: Date): Promise<number | LegacyPartition | null> {
  return sql.begin(async (tx) => {
    const [partition] = await tx<LegacyPartition[]>`
      select name, lower, upper, packed_through as "packedThrough" from legacy_partitions
      where packed_at is null order by lower desc limit 1 for update skip locked`
    if (!partition) return null
    if (await lacksBlockPartitions(tx, partition)) return partition
    const ids = await nextSeries(tx, partition)
    if (ids.length === 0) {
      await tx`update legacy_partitions set packed_through = ${MAX_ID}, packed_at = now() where name = ${partition.name}`
      return 0
    }
    const all = await lockSeries(tx, ids)
    let [readings, through] = [0, ids.at(-1) as number]
    for (const [i, series] of all.entries()) {
      readings += await packSeries(tx, partition, series, now)
      if (readings < READINGS_AT_ONCE || i + 1 === all.length) continue
      through = series.id
      break
    }
    await tx`update legacy_partitions set packed_through = ${through} where name = ${partition.name}`
    return readings
  }) as Promise<number | LegacyPartition | null>
}

const daysOf = (sql: Sql | TransactionSql, { lower, upper }: LegacyPartition) => sql`
  generate_series(date_trunc('day', ${lower}::timestamptz, 'UTC'), ${upper}::timestamptz - interval '1 millisecond', interval '1 day') day`

async function lacksBlockPartitions(tx: TransactionSql, partition: LegacyPartition): Promise<boolean> {
  const [row] = await tx<{ isLacking: boolean }[]>`
    select exists (select from ${daysOf(tx, partition)} where not exists (
      select from store_partitions p where p.parent = 'reading_blocks' and p.lower <= day and day < p.upper)) as "isLacking"`
  return row?.isLacking === true
}

/** Apart from the transaction that fills them: until its end, a new partition would let nobody add series. */
async function makeBlockPartitions(sql: Sql, partition: LegacyPartition): Promise<void> {
  await sql`select ensure_block_partition(day) from ${daysOf(sql, partition)}`
}

/** Drops packed partitions, a few minutes after they were packed. One that is in use is dropped at a later turn. */
export async function dropPacked(sql: Sql): Promise<void> {
  const packed = await sql<{ name: string }[]>`select name from legacy_partitions where packed_at is not null order by lower`
  for (const { name } of packed)
    await sql`select drop_legacy_partition(${name})`.catch((error) => {
      if (!isLocked(error) && dbError(error)?.code !== GONE) throw error
    })
}

/** undefined_table: another replica has just dropped it */
const GONE = '42P01'

/** The next series of a partition, by its index: each is one step, however many rows it has. The sealer may read only the whole table. */
async function nextSeries(tx: TransactionSql, { lower, upper, packedThrough }: LegacyPartition): Promise<number[]> {
  const first = (after: PendingQuery<Row[]>) => tx`
    (select series_id from legacy_readings where series_id > ${after} and ts >= ${lower} and ts < ${upper} order by series_id limit 1)`
  const rows = await tx<{ id: number }[]>`
    with recursive next as (
      select ${first(tx`${packedThrough}::int`)} as id, 1 as n
      union all
      select ${first(tx`next.id`)}, n + 1 from next where id is not null and n < ${SERIES_AT_ONCE})
    select id from next where id is not null order by id`
  return rows.map(({ id }) => id)
}

interface LegacySeries {
  id: number
  tenantId: string
}

/** Locks the machines against sealing. Rows of deleted series are left out. */
async function lockSeries(tx: TransactionSql, ids: readonly number[]): Promise<LegacySeries[]> {
  if (ids.length === 0) return []
  await tx`
    select pg_advisory_xact_lock(${ADVISORY_LOCKS.sealing}, key) from (
      select distinct hashtext(machine_id::text) as key from series where id = any(${ids as number[]}::int[]) order by 1) machines`
  return tx<LegacySeries[]>`select id, tenant_id as "tenantId" from series where id = any(${ids as number[]}::int[]) order by id`
}

async function packSeries(
  tx: TransactionSql,
  { lower, upper }: LegacyPartition,
  series: LegacySeries,
  now: Date,
): Promise<number> {
  let readings = 0
  for (let from = lower; ; ) {
    const day = await nextDay(tx, series.id, from, upper)
    if (day === null) return readings
    const until = new Date(Math.min(day + DAY_MS, upper.getTime()))
    const [row] = await tx<{ times: Buffer; vals: Buffer }[]>`
      select array_send(array_agg(ts order by ts)) as times, array_send(array_agg(value order by ts)) as vals
      from legacy_readings where series_id = ${series.id} and ts >= ${from} and ts < ${until}`
    const { times, vals } = row as { times: Buffer; vals: Buffer }
    const columns = decodeLegacyReadings(times, vals)
    await storeDay(tx, series, columns, now)
    readings += columns.length
    from = until
  }
}

/** The UTC day (Unix ms) of the first reading between two instants; null for none. */
async function nextDay(tx: TransactionSql, seriesId: number, from: Date, until: Date): Promise<number | null> {
  const [row] = await tx<{ first: Date | null }[]>`
    select min(ts) as first from legacy_readings where series_id = ${seriesId} and ts >= ${from} and ts < ${until}`
  return row?.first ? dayOf(row.first.getTime()) : null
}

/** Stores readings of one UTC day as blocks, together with the blocks that they overlap. */
async function storeDay(
  tx: TransactionSql,
  { id: seriesId, tenantId }: LegacySeries,
  readings: Columns,
  now: Date,
): Promise<void> {
  const [from, to] = [readings.times[0] as number, readings.times[readings.length - 1] as number]
  const day = dayOf(from)
  const others = await blocksAmong(tx, tenantId, [{ seriesId, day, from, to }])
  const bytes = await blockBytes(tx, tenantId, others)
  const blocks = encodeVerified(seriesId, mergeColumns([readings, ...others.map((block) => decodeStored(block, bytes))]))
  await deleteBlocks(tx, tenantId, others)
  const isOpen = day >= mergeEnd(now)
  await insertBlocks(tx, tenantId, blocks, { isOpen, sealedAt: now })
}
