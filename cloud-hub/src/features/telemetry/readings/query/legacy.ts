import type { Columns } from '../codec/columns.ts'
import type { Statistics } from '../codec/statistics.ts'

/**
 * Rows of hubs before the packed store, as PostgreSQL's binary form of arrays of 8-byte values without nulls (`array_send`): a header
 * of 20 bytes, then length and value of each.
 */
const [HEAD, EACH] = [20, 12]
/** Unix ms of 2000-01-01, the epoch of PostgreSQL's timestamps */
const EPOCH_MS = 946_684_800_000

const countOf = (array: Buffer): number => Math.max(0, (array.length - HEAD) / EACH)

/** @param times array of timestamptz  @param vals array of float8 */
export function decodeLegacyReadings(times: Buffer, vals: Buffer): Columns {
  const length = countOf(times)
  const columns = { length, times: new Float64Array(length), values: new Float64Array(length) }
  for (let i = 0, at = HEAD + 4; i < length; i++, at += EACH) {
    const micros = times.readInt32BE(at) * 2 ** 32 + times.readUInt32BE(at + 4)
    columns.times[i] = Math.round(micros / 1_000) + EPOCH_MS
    columns.values[i] = vals.readDoubleBE(at)
  }
  return columns
}

/** Numbers of each statistics, see the SQL function `legacy_statistics_of`. */
const NUMBERS = 8

export function decodeLegacyStatistics(stats: Buffer): Statistics[] {
  const number = (i: number) => stats.readDoubleBE(HEAD + 4 + i * EACH)
  return Array.from({ length: countOf(stats) / NUMBERS }, (_, i) => {
    const [at, n, mean, m2, low, high, lastAt, last] = Array.from({ length: NUMBERS }, (_, k) => number(i * NUMBERS + k)) as [
      number,
      number,
      number,
      number,
      number,
      number,
      number,
      number,
    ]
    // PostgreSQL rounded the mean on its own
    return { at, n, mean: Math.min(Math.max(mean, low), high), m2: Number.isNaN(m2) ? null : m2, low, high, lastAt, last }
  })
}
