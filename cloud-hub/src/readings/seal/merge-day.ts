import type { Sql, TransactionSql } from '../../db/pools.ts'
import { type Block, mergeColumns } from '../codec/block.ts'
import type { Columns } from '../codec/columns.ts'
import { MAX_READINGS } from '../codec/format.ts'
import {
  blockBytes,
  blocksOfDay,
  decodeStored,
  deleteBlocks,
  encodeVerified,
  insertBlocks,
  isRefusal,
  refuseBlock,
  type StoredBlock,
} from './blocks.ts'
import { SEAL_LIMITS, type SealLimits } from './limits.ts'
import { type MachineKey, type Refusal, withMachine } from './machine.ts'

export interface MergeResult {
  /** readings of the blocks that were merged */
  merged: number
  refused: Refusal[]
  isBusy: boolean
}

/** Series whose blocks one statement lists. */
const SERIES_AT_ONCE = 500

/**
 * Merges the open blocks of a machine's UTC day, and day blocks that are there already, into day blocks of at most 131,072
 * readings. Each transaction merges a portion of the series.
 * @param day Unix ms of its start
 */
export async function mergeDay(
  sql: Sql,
  machine: MachineKey,
  day: number,
  now: Date,
  options: { limits?: Partial<SealLimits> } = {},
): Promise<MergeResult> {
  const limits = { ...SEAL_LIMITS, ...options.limits }
  const result: MergeResult = { merged: 0, refused: [], isBusy: false }
  // before the transaction: creating a partition locks the series table
  await sql`select ensure_block_partition(${new Date(day)})`
  for (let after: number | null = 0; after !== null; ) {
    const from: number = after
    const part: Portion | null = await withMachine(sql, machine, (tx) =>
      mergePortion(tx, machine, { day, after: from, now }, limits),
    )
    if (!part) return { ...result, isBusy: true }
    result.merged += part.merged
    result.refused.push(...part.refused)
    after = part.last
  }
  return result
}

interface Portion {
  merged: number
  refused: Refusal[]
  /** continue after this series; null at the end */
  last: number | null
}

async function mergePortion(
  tx: TransactionSql,
  machine: MachineKey,
  { day, after, now }: { day: number; after: number; now: Date },
  { portionReadings }: SealLimits,
): Promise<Portion> {
  const { tenantId, machineId } = machine
  const series = await tx<{ id: number }[]>`
    select id from series
    where tenant_id = ${tenantId} and machine_id = ${machineId} and id > ${after}
    order by id
    limit ${SERIES_AT_ONCE}`
  const ids = series.map(({ id }) => id)
  const blocks = await blocksOfDay(tx, tenantId, ids, day)
  const portion: Portion = { merged: 0, refused: [], last: ids.at(-1) ?? null }
  const runs: StoredBlock[][] = []
  let readings = 0
  for (const [seriesId, its] of Map.groupBy(blocks, ({ seriesId }) => seriesId)) {
    const more = runsOf(its, portionReadings)
    runs.push(...more)
    readings += countOf(more.flat())
    if (readings < portionReadings) continue
    portion.last = seriesId
    break
  }
  // few runs at once, so that few blocks are decoded at once
  for (let from = 0, to = 0; from < runs.length; from = to) {
    for (let batch = 0; to < runs.length && batch < BATCH; to++) batch += countOf(runs[to] ?? [])
    portion.merged += await mergeRuns(tx, machine, { runs: runs.slice(from, to), now }, portion.refused)
  }
  return portion
}

/** Readings from which a batch of runs is large enough. */
const BATCH = 131_072
const countOf = (blocks: readonly StoredBlock[]) => blocks.reduce((sum, { n }) => sum + n, 0)

/** A day block with at least this many readings is not rewritten when a day has several. */
const LARGE = MAX_READINGS / 2

/** The blocks of a series and day that are merged together: all, or the small ones next to each other. */
export function runsOf(blocks: readonly StoredBlock[], portionReadings: number): StoredBlock[][] {
  if (!blocks.some(({ isOpen }) => isOpen)) return []
  const isWhole = countOf(blocks) <= MAX_READINGS
  const runs: StoredBlock[][] = []
  let readings = Number.POSITIVE_INFINITY
  for (const block of blocks) {
    if (!isWhole && !block.isOpen && block.n >= LARGE) readings = Number.POSITIVE_INFINITY
    else if (readings + block.n <= portionReadings) {
      runs.at(-1)?.push(block)
      readings += block.n
    } else {
      runs.push([block])
      readings = block.n
    }
  }
  return runs.filter((run) => run.some(({ isOpen }) => isOpen))
}

async function mergeRuns(
  tx: TransactionSql,
  machine: MachineKey,
  { runs, now }: { runs: readonly StoredBlock[][]; now: Date },
  refused: Refusal[],
): Promise<number> {
  const bytes = await blockBytes(tx, machine.tenantId, runs.flat())
  const removed: StoredBlock[] = []
  const added: Block[] = []
  for (const run of runs) {
    let block = run[0] as StoredBlock
    try {
      const parts: Columns[] = []
      for (block of run) parts.push(decodeStored(block, bytes))
      added.push(...encodeVerified(block.seriesId, mergeColumns(parts)))
      removed.push(...run)
    } catch (error) {
      if (!isRefusal(error)) throw error
      refused.push(refuseBlock(machine, block, error))
    }
  }
  await deleteBlocks(tx, machine.tenantId, removed)
  await insertBlocks(tx, machine.tenantId, added, { isOpen: false, sealedAt: now })
  return countOf(removed)
}
