import type { TransactionSql } from '../../db/pools.ts'
import { mergeColumns } from '../codec/block.ts'
import { type Columns, indexAtOrAfter } from '../codec/columns.ts'
import { ChangedMeanwhile, type MachineKey } from './machine.ts'
import { type DecodedRow, deleteRows, existingSeries, insertRows, type Part, type SeriesColumns } from './tail-rows.ts'

/** Decoded rows of a machine's tail, by series. */
export class TailPortion {
  readonly machine: MachineKey
  readonly rows: readonly DecodedRow[]
  readonly series = new Map<number, { parts: Part[]; columns: Columns }>()
  /** rows with sections of series that are gone */
  readonly #outdated = new Set<DecodedRow>()

  private constructor(machine: MachineKey, rows: readonly DecodedRow[], existing: ReadonlySet<number> | null) {
    this.machine = machine
    this.rows = rows
    const parts = new Map<number, Part[]>()
    for (const row of rows)
      for (const { seriesId, part } of row.parts) {
        const its = parts.get(seriesId)
        if (existing && !existing.has(seriesId)) this.#outdated.add(row)
        else if (its) its.push(part)
        else parts.set(seriesId, [part])
      }
    for (const [seriesId, its] of parts) this.series.set(seriesId, { parts: its, columns: mergeColumns(its) })
  }

  /** All sections of the rows. */
  static of(machine: MachineKey, rows: readonly DecodedRow[]): TailPortion {
    return new TailPortion(machine, rows, null)
  }

  /** The sections of series that still exist. The others go with the next withdrawal. */
  static async ofExisting(tx: TransactionSql, machine: MachineKey, rows: readonly DecodedRow[]): Promise<TailPortion> {
    return new TailPortion(machine, rows, await existingSeries(tx, machine))
  }

  /**
   * Deletes the rows that hold readings of these spans of time, and stores their other readings again.
   * @param moved Unix ms of the first and last reading of each span, both inclusive, by series
   * @returns the number of readings that have left the tail
   * @throws ChangedMeanwhile unless that is the number of readings that were moved
   */
  async withdraw(tx: TransactionSql, moved: ReadonlyMap<number, readonly Span[]>, movedReadings: number): Promise<number> {
    const rows = new Set(this.#outdated)
    for (const [seriesId, spans] of moved)
      for (const part of this.series.get(seriesId)?.parts ?? [])
        if (spans.some((span) => overlaps(part, span))) rows.add(part.row)
    return this.#replace(tx, rows, moved, movedReadings)
  }

  /** Stores all rows again, as few. */
  compact(tx: TransactionSql): Promise<number> {
    return this.#replace(tx, new Set(this.rows), new Map(), 0)
  }

  async #replace(
    tx: TransactionSql,
    rows: ReadonlySet<DecodedRow>,
    moved: ReadonlyMap<number, readonly Span[]>,
    movedReadings: number,
  ): Promise<number> {
    if (rows.size === 0) return 0
    const rest: SeriesColumns[] = []
    let kept = 0
    for (const [seriesId, { parts, columns }] of this.series) {
      const spans = moved.get(seriesId)
      const its = parts.filter(({ row }) => rows.has(row))
      kept += its.reduce((sum, { length }) => sum + length, 0)
      const isWhole = !spans && its.length === parts.length
      rest.push([seriesId, isWhole ? columns : mergeColumns(spans ? its.flatMap((part) => outside(part, spans)) : its)])
    }
    const { tenantId, machineId } = this.machine
    const [inserted] = await insertRows(tx, tenantId, new Map([[machineId, rest]]))
    const stored = inserted?.readings ?? 0
    if (kept !== stored + movedReadings) throw new ChangedMeanwhile(`${kept} readings became ${stored} and ${movedReadings}`)
    await deleteRows(
      tx,
      this.machine,
      [...rows].map(({ id }) => id),
    )
    return kept - stored
  }
}

/** Unix ms of the first and of the last reading, both inclusive. */
export type Span = readonly [first: number, last: number]

const firstAfter = ({ times, length }: Columns, at: number) => indexAtOrAfter(times, 0, length, at)

const overlaps = (part: Columns, [first, last]: Span) => firstAfter(part, first) < firstAfter(part, last + 1)

/** The readings of a part outside some spans, which ascend. */
function outside(part: Columns, spans: readonly Span[]): Columns[] {
  const pieces: Columns[] = []
  let from = 0
  for (const [first, last] of spans) {
    pieces.push(sliceOf(part, from, firstAfter(part, first)))
    from = firstAfter(part, last + 1)
  }
  pieces.push(sliceOf(part, from, part.length))
  return pieces
}

export const sliceOf = ({ times, values }: Columns, from: number, to: number): Columns => ({
  length: to - from,
  times: times.subarray(from, to),
  values: values.subarray(from, to),
})
