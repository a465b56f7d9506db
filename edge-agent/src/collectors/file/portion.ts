import type { Fault, ReadingColumns } from '@haltless/protocol'
import { ColumnsBuilder } from '../columns-builder.ts'
import type { Tag } from '../tag.ts'
import type { FileConfig } from './contract.ts'
import type { DatedRecords, Extractor, LastTimestamp } from './extract.ts'
import type { Position } from './position.ts'
import { type FileRecord, type LineReader, linesOfRecord, Unreadable } from './records.ts'

/** Some records of a file, and where it is read on after them. */
export interface Portion {
  readings: ReadingColumns
  position: Position
  records: number
  /** of lines and documents that cannot be used: how many, those of them before the first record, and the first reason */
  leftOut: { count: number; leading: number; reason: Fault | null; isLast: boolean }
}

/** What every file of a collector is read with. */
export interface Reading {
  config: FileConfig
  tags: readonly Tag[]
  extractor: Extractor
}

export const noTimestamp = (): LastTimestamp => ({ at: 0, seen: {} })

/** The records of a portion, as they become readings. */
export class Records {
  readonly last: LastTimestamp
  readonly #extractor: Extractor
  readonly #out: ColumnsBuilder
  readonly #dated: DatedRecords | null
  #count = 0
  readonly #leftOut: Portion['leftOut'] = { count: 0, leading: 0, reason: null, isLast: false }

  constructor({ tags, extractor }: Reading, last: LastTimestamp, dated: DatedRecords | null = null) {
    this.#dated = dated
    this.#extractor = extractor
    this.#out = new ColumnsBuilder(tags)
    this.last = last
  }

  /**
   * Takes the records of these lines.
   * @param isComplete whether a quoted cell that has no end in them has none
   * @returns how many lines were taken: all, or those before a record whose quoted cell may go on in the next ones
   */
  takeLines(
    lines: readonly string[],
    read: LineReader,
    { format, delimiter }: FileConfig,
    isComplete: (at: number) => boolean,
  ): number {
    for (let at = 0; at < lines.length; ) {
      const found = format === 'csv' ? linesOfRecord(lines, at, delimiter) : 1
      if (found === null && !isComplete(at)) return at
      const count = found ?? 1
      const text = count === 1 ? (lines[at] as string) : lines.slice(at, at + count).join('\n')
      if (text.trim() !== '') this.take(() => read(text))
      at += count
    }
    return lines.length
  }

  take(read: () => FileRecord[]): void {
    for (const record of this.#orLeftOut(read) ?? [])
      this.#orLeftOut(() => {
        if (this.#extractor.extract(record, this.last, this.#out, this.#dated)) this.#count++
        this.#leftOut.isLast = false
      })
  }

  #orLeftOut<T>(act: () => T): T | null {
    try {
      return act()
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error
      this.leaveOut(error.fault)
      return null
    }
  }

  /** Nothing was left out. */
  get isWhole(): boolean {
    return this.#leftOut.count === 0
  }

  leaveOut(reason: Fault): void {
    this.#leftOut.reason ??= reason
    this.#leftOut.count++
    if (this.#count === 0) this.#leftOut.leading++
    this.#leftOut.isLast = true
  }

  portion(position: Position): Portion {
    return { readings: this.#out.columns(), position, records: this.#count, leftOut: this.#leftOut }
  }
}
