import type { TransactionSql } from '../../db/pools.ts'
import { type Columns, indexAtOrAfter } from '../codec/columns.ts'
import type { Range } from '../range.ts'
import { readingsOfParts } from './read-parts.ts'
import { BLOCK, storedIn } from './stored-parts.ts'
import { visitRows } from './visit-rows.ts'

const ALL = { what: 'readings', max: Number.POSITIVE_INFINITY } as const

/** All values of each series, in any order. */
export async function valuesOf(tx: TransactionSql, range: Range): Promise<number[][]> {
  const values = range.seriesIds.map((): number[] => [])
  const keep = readingsOfParts(range, (place, _, own, from, to) => {
    const into = values[place] as number[]
    for (let i = from; i < to; i++) into.push(own[i] as number)
  })
  await visitRows(storedIn(tx, range, ALL), keep)
  return values
}

/**
 * Some values of each series. The time from the first reading to the last is divided into `moments` parts. Each part contributes
 * up to `each` values from its beginning. Where the range ends inside a block, its end counts as the last reading.
 */
export async function sampleOf(tx: TransactionSql, range: Range, moments: number, each: number): Promise<number[][]> {
  const samples = range.seriesIds.map(() => new Sample(moments, each))
  const add = readingsOfParts(range, (place, times, values, from, to) => samples[place]?.add(times, values, from, to))
  await visitRows(storedIn(tx, range, ALL), (part) => {
    if (part.kind === BLOCK) samples[part.place]?.expectUntil(Math.min(part.lastAt, range.until - 1))
    add(part)
  })
  return samples.map((sample) => sample.values())
}

interface Reading {
  at: number
  value: number
}

/** Copies at most `max` readings, at even distances: old rows come by the day, and those of all series wait. */
function thinned(times: Float64Array, values: Float64Array, from: number, to: number, max: number): Columns {
  const step = Math.ceil((to - from) / max)
  const length = Math.ceil((to - from) / step)
  const pick = (column: Float64Array) => Float64Array.from({ length }, (_, i) => column[from + i * step] as number)
  return { length, times: pick(times), values: pick(values) }
}

/** The sample of a series. Readings outside of blocks wait until the time between the first and the last reading is known. */
class Sample {
  readonly #each: number
  readonly #found: Reading[][]
  #waiting: Columns[] = []
  #first = Number.POSITIVE_INFINITY
  #last = Number.NEGATIVE_INFINITY
  #hasBlocks = false

  constructor(moments: number, each: number) {
    this.#each = each
    this.#found = Array.from({ length: moments }, () => [])
  }

  /** Announces a block, and the last reading of all blocks. */
  expectUntil(lastAt: number): void {
    this.#hasBlocks = true
    this.#last = Math.max(this.#last, lastAt)
  }

  /** Adds readings: those of the tail and old rows first, then those of blocks in order of time. */
  add(times: Float64Array, values: Float64Array, from: number, to: number): void {
    if (!this.#hasBlocks) {
      this.#include(times, from, to)
      this.#waiting.push(thinned(times, values, from, to, this.#found.length * this.#each))
      return
    }
    if (this.#waiting.length > 0 || this.#first === Number.POSITIVE_INFINITY) {
      this.#include(times, from, to)
      this.#pickWaiting()
    }
    this.#pick(times, values, from, to)
  }

  values(): number[] {
    this.#pickWaiting()
    return this.#found.flatMap((readings) => readings.map(({ value }) => value))
  }

  #include(times: Float64Array, from: number, to: number): void {
    this.#first = Math.min(this.#first, times[from] as number)
    this.#last = Math.max(this.#last, times[to - 1] as number)
  }

  #pickWaiting(): void {
    for (const { length, times, values } of this.#waiting) this.#pick(times, values, 0, length)
    this.#waiting = []
  }

  #pick(times: Float64Array, values: Float64Array, from: number, to: number): void {
    let i = from
    for (const [moment, readings] of this.#found.entries()) {
      i = indexAtOrAfter(times, i, to, this.#startOf(moment))
      const end = Math.min(i + this.#each, indexAtOrAfter(times, i, to, this.#startOf(moment + 1)))
      if (i === end) continue
      for (; i < end; i++) readings.push({ at: times[i] as number, value: values[i] as number })
      readings.sort((a, b) => a.at - b.at).splice(this.#each)
    }
  }

  #startOf(moment: number): number {
    const [moments, duration] = [this.#found.length, this.#last - this.#first]
    return moment === moments ? Number.POSITIVE_INFINITY : this.#first + (moment * duration) / moments
  }
}
