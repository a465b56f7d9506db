import type { TransactionSql } from '../../../../db/pools.ts'
import { indexAtOrAfter } from '../codec/columns.ts'
import type { Range } from '../range.ts'
import { readingsOfParts } from './read-parts.ts'
import { BLOCK, type StoredPart, storedIn, TAIL } from './stored-parts.ts'
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
 * up to `each` values from its beginning. Memory holds the encoded blocks of one series.
 */
export async function sampleOf(tx: TransactionSql, range: Range, moments: number, each: number): Promise<number[][]> {
  const samples = range.seriesIds.map((): number[] => [])
  const tail: StoredPart[] = []
  let blocks: StoredPart[] = []
  const finish = (place: number) => {
    samples[place] = sampleOfParts([...tail, ...blocks], range, place, moments, each)
    blocks = []
  }
  let current = 0
  await visitRows(storedIn(tx, range, ALL), (part) => {
    if (part.kind === TAIL) tail.push(part)
    else {
      for (; current < part.place; current++) finish(current)
      blocks.push(part)
    }
  })
  for (; current < samples.length; current++) finish(current)
  return samples
}

interface Reading {
  at: number
  value: number
}

function sampleOfParts(parts: readonly StoredPart[], range: Range, place: number, moments: number, each: number): number[] {
  const own = { ...range, seriesIds: [range.seriesIds[place] as number] }
  const { first, last } = extentOf(parts, own)
  if (first > last) return []
  const startOf = (moment: number) => (moment === moments ? last + 1 : first + (moment * (last - first)) / moments)
  const found: Reading[][] = Array.from({ length: moments }, () => [])
  const pick = readingsOfParts(own, (_, times, values, from, to) => {
    let i = from
    for (const [moment, readings] of found.entries()) {
      i = indexAtOrAfter(times, i, to, startOf(moment))
      const end = Math.min(i + each, indexAtOrAfter(times, i, to, startOf(moment + 1)))
      for (; i < end; i++) readings.push({ at: times[i] as number, value: values[i] as number })
    }
  })
  for (const part of parts) pick(part)
  return found.flatMap((readings) =>
    readings
      .sort((a, b) => a.at - b.at)
      .slice(0, each)
      .map(({ value }) => value),
  )
}

/** The instants (Unix ms) of the first and the last reading of a series in a range. It decodes only parts that the range cuts. */
function extentOf(parts: readonly StoredPart[], range: Range): { first: number; last: number } {
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  const include = (from: number, to: number) => {
    first = Math.min(first, from)
    last = Math.max(last, to)
  }
  const includeCut = readingsOfParts(range, (_, times, _values, from, to) =>
    include(times[from] as number, times[to - 1] as number),
  )
  for (const part of parts)
    if (part.kind === BLOCK && part.t0 >= range.from && part.t1 < range.until) include(part.t0, part.t1)
    else includeCut(part)
  return { first, last }
}
