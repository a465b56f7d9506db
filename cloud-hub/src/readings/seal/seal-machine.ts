import type { Sql, TransactionSql } from '../../db/pools.ts'
import { type Block, mergeColumns } from '../codec/block.ts'
import { type Columns, indexAtOrAfter } from '../codec/columns.ts'
import {
  blockBytes,
  blocksAmong,
  type DayRange,
  decodeStored,
  deleteBlocks,
  encodeVerified,
  insertBlocks,
  isRefusal,
  refuseBlock,
  type StoredBlock,
} from './blocks.ts'
import { DAY_MS, dayOf, daysEnd, hoursEnd, SEAL_LIMITS, type SealLimits, tailLimit } from './limits.ts'
import { type MachineKey, type Refusal, withMachine } from './machine.ts'
import { type Span, sliceOf, TailPortion } from './move-tail.ts'
import { decodeRows, machineTail, portionsOf } from './tail-rows.ts'

interface SealOptions {
  /** moves late readings however few they are; without it, fewer than 1 % of their block wait */
  movesLate?: boolean
  limits?: Partial<SealLimits>
}

interface SealResult {
  /** readings that became part of blocks */
  sealed: number
  /** late readings that wait for others */
  late: number
  refused: Refusal[]
  /** another process moves readings of this machine: nothing was done, or not everything */
  isBusy: boolean
}

/** Readings before `dense` of a series with enough of them, and readings before `any`, become blocks. */
interface Limits extends SealLimits {
  dense: number
  any: number
  movesLate: boolean
}

/**
 * Moves readings of a machine from the tail into open blocks: those of finished hours where a series has 512 or more, those of
 * finished days, and all where the tail has more than 500,000 readings. Late readings join the block that they lie within.
 * Each transaction moves a portion; the set of stored readings never changes. Sections of series that are gone are dropped.
 */
export async function sealMachine(sql: Sql, machine: MachineKey, now: Date, options: SealOptions = {}): Promise<SealResult> {
  const limits = { ...SEAL_LIMITS, ...options.limits }
  const result: SealResult = { sealed: 0, late: 0, refused: [], isBusy: false }
  for (let isPartial = true; isPartial; ) {
    const pass = await sealOnce(sql, machine, now, { ...limits, movesLate: options.movesLate === true })
    result.sealed += pass.sealed
    result.late = pass.late
    result.refused = pass.refused
    result.isBusy = pass.isBusy
    isPartial = pass.isPartial && pass.sealed > 0 && !pass.isBusy
  }
  return result
}

type Pass = SealResult & { /** blocks are left that have to be rewritten */ isPartial: boolean }

async function sealOnce(sql: Sql, machine: MachineKey, now: Date, limits: SealLimits & { movesLate: boolean }): Promise<Pass> {
  const tail = await machineTail(sql, machine)
  const isFull = tail.readings > tailLimit(limits, tail.seriesCount)
  const dense = isFull ? Number.POSITIVE_INFINITY : hoursEnd(now)
  const any = isFull ? Number.POSITIVE_INFINITY : daysEnd(now)
  const rule = { ...limits, dense, any, movesLate: isFull || limits.movesLate }
  const result: Pass = { sealed: 0, late: 0, refused: [], isBusy: false, isPartial: false }
  const rows = tail.rows.filter(({ t0 }) => t0 < dense)
  for (const portion of portionsOf(rows, limits)) {
    const ids = portion.map(({ id }) => id)
    const part = await withMachine(sql, machine, (tx) => sealRows(tx, machine, ids, rule, now))
    if (!part) return { ...result, isBusy: true }
    result.sealed += part.sealed
    result.late += part.late
    result.isPartial ||= part.isPartial
    result.refused.push(...part.refused)
  }
  return result
}

type PortionResult = Omit<Pass, 'isBusy'>

async function sealRows(
  tx: TransactionSql,
  machine: MachineKey,
  ids: readonly string[],
  limits: Limits,
  now: Date,
): Promise<PortionResult> {
  const { rows, refused } = await decodeRows(tx, machine, ids)
  const portion = await TailPortion.ofExisting(tx, machine, rows)
  const { runs, late } = await plan(tx, portion, limits)
  const rewrite = new Rewrite(tx, portion, refused)
  await rewrite.add(runs, limits)
  const { removed, added, moved, readings } = rewrite
  await deleteBlocks(tx, machine.tenantId, removed)
  await insertBlocks(tx, machine.tenantId, added.open, { isOpen: true, sealedAt: now })
  await insertBlocks(tx, machine.tenantId, added.day, { isOpen: false, sealedAt: now })
  await portion.withdraw(tx, moved, readings)
  return { sealed: readings, late: late + rewrite.late, refused, isPartial: rewrite.late > 0 }
}

async function plan(tx: TransactionSql, portion: TailPortion, limits: Limits): Promise<{ runs: Run[]; late: number }> {
  const days = [...portion.series].flatMap(([seriesId, { columns }]) => daysOf(seriesId, columns))
  const blocks = Map.groupBy(await blocksAmong(tx, portion.machine.tenantId, days), ({ seriesId }) => seriesId)
  const all: Run[] = []
  let waiting = 0
  for (const [seriesId, { columns }] of portion.series) {
    const finished = indexAtOrAfter(columns.times, 0, columns.length, limits.dense)
    const before = finished >= limits.denseReadings ? limits.dense : limits.any
    const { runs, late } = planRuns(seriesId, columns, blocks.get(seriesId) ?? [], { before, movesLate: limits.movesLate })
    all.push(...runs)
    waiting += late
  }
  return { runs: all, late: waiting }
}

/** The blocks that a portion adds and replaces. */
class Rewrite {
  readonly removed: StoredBlock[] = []
  readonly added: Record<'open' | 'day', Block[]> = { open: [], day: [] }
  readonly moved = new Map<number, Span[]>()
  /** number of readings that leave the tail */
  readings = 0
  /** late readings that have to wait, because enough blocks are rewritten already */
  late = 0
  readonly #tx: TransactionSql
  readonly #portion: TailPortion
  readonly #refused: Refusal[]

  constructor(tx: TransactionSql, portion: TailPortion, refused: Refusal[]) {
    this.#tx = tx
    this.#portion = portion
    this.#refused = refused
  }

  /** @param runs ascending within each series */
  async add(runs: readonly Run[], { portionReadings, rewrittenReadings }: SealLimits): Promise<void> {
    let batch: Run[] = []
    let [decoded, total] = [0, 0]
    for (const run of runs) {
      const n = run.within?.n ?? 0
      if (total > 0 && total + n > rewrittenReadings) {
        this.late += run.to - run.from
        continue
      }
      if (batch.length > 0 && decoded + n > portionReadings) {
        await this.#encode(batch)
        ;[batch, decoded] = [[], 0]
      }
      batch.push(run)
      decoded += n
      total += n
    }
    await this.#encode(batch)
  }

  async #encode(runs: readonly Run[]): Promise<void> {
    const within = runs.flatMap((run) => run.within ?? [])
    const bytes = await blockBytes(this.#tx, this.#portion.machine.tenantId, within)
    for (const run of runs) {
      try {
        const columns = this.#portion.series.get(run.seriesId)?.columns
        if (!columns) continue
        const readings = sliceOf(columns, run.from, run.to)
        const all = run.within ? mergeColumns([decodeStored(run.within, bytes), readings]) : readings
        this.#accept(run, columns.times, encodeVerified(run.seriesId, all))
      } catch (error) {
        if (!isRefusal(error)) throw error
        this.#refused.push(
          run.within
            ? refuseBlock(this.#portion.machine, run.within, error)
            : { ...this.#portion.machine, what: `readings of series ${run.seriesId} in reading_tail`, reason: error.message },
        )
      }
    }
  }

  #accept({ seriesId, from, to, within }: Run, times: Float64Array, blocks: readonly Block[]): void {
    this.added[within && !within.isOpen ? 'day' : 'open'].push(...blocks)
    if (within) this.removed.push(within)
    const span: Span = [times[from] as number, times[to - 1] as number]
    const spans = this.moved.get(seriesId)
    if (spans) spans.push(span)
    else this.moved.set(seriesId, [span])
    this.readings += to - from
  }
}

/** Readings `from` to `to` (exclusive) of a series that leave the tail together. */
interface Run {
  seriesId: number
  from: number
  to: number
  /** the block that they lie within, which is rewritten with them; null: they become blocks of their own */
  within: StoredBlock | null
}

interface RunRule {
  /** Unix ms: only earlier readings become blocks of their own */
  before: number
  /** late readings are moved however few they are */
  movesLate: boolean
}

/** Fewer late readings than this part of their block wait for others, because the whole block is rewritten. */
const LATE_SHARE = 0.01

/**
 * Decides which readings of a series leave the tail. Blocks never overlap, so readings between two blocks become a block of their
 * own, and readings within a block join it.
 * @param blocks those of the series that overlap its readings, ascending
 * @returns the runs, and the number of late readings that wait
 */
function planRuns(
  seriesId: number,
  { times, length }: Columns,
  blocks: readonly StoredBlock[],
  { before, movesLate }: RunRule,
): { runs: Run[]; late: number } {
  const runs: Run[] = []
  let late = 0
  for (let from = 0, next = 0; from < length; ) {
    const at = times[from] as number
    while (next < blocks.length && (blocks[next] as StoredBlock).t1 < at) next++
    const block = blocks[next]
    if (block && block.t0 <= at) {
      const to = indexAtOrAfter(times, from, length, block.t1 + 1)
      if (movesLate || to - from >= block.n * LATE_SHARE) runs.push({ seriesId, from, to, within: block })
      else late += to - from
      from = to
    } else {
      const end = block?.t0 ?? Number.POSITIVE_INFINITY
      const to = indexAtOrAfter(times, from, length, Math.min(end, before))
      if (to > from) runs.push({ seriesId, from, to, within: null })
      from = indexAtOrAfter(times, to, length, end)
    }
  }
  return { runs, late }
}

/** The days of a series' readings, each with its first and last instant. */
function daysOf(seriesId: number, { times, length }: Columns): DayRange[] {
  const days: DayRange[] = []
  for (let i = 0; i < length; ) {
    const day = dayOf(times[i] as number)
    const next = indexAtOrAfter(times, i, length, day + DAY_MS)
    days.push({ seriesId, day, from: times[i] as number, to: times[next - 1] as number })
    i = next
  }
  return days
}
