/** Readings of one series, ascending. */
export interface Columns {
  length: number
  /** Unix ms */
  times: Float64Array
  values: Float64Array
}

/** A row of {@link columnsOf}. */
export interface SentColumns {
  times: Buffer | null
  values: Buffer | null
}

/** PostgreSQL's binary form of arrays of 8-byte values without nulls: 20 bytes of head, then the length and the value of each. */
const [HEAD, EACH] = [20, 12]
/** Unix ms of 2000-01-01, from which PostgreSQL counts microseconds */
const EPOCH_MS = 946_684_800_000

/**
 * Readings that come as two arrays in PostgreSQL's binary form, `array_send(array_agg(ts order by ts))` and the same of `value`: a tenth of what as
 * many rows cost. Nulls, which is what no readings are, give none.
 */
export function columnsOf({ times, values }: SentColumns): Columns {
  const length = times ? (times.length - HEAD) / EACH : 0
  const columns = { length, times: new Float64Array(length), values: new Float64Array(length) }
  if (!times || !values) return columns
  for (let i = 0, at = HEAD + 4; i < length; i++, at += EACH) {
    const micros = times.readInt32BE(at) * 2 ** 32 + times.readUInt32BE(at + 4)
    columns.times[i] = Math.round(micros / 1_000) + EPOCH_MS
    columns.values[i] = values.readDoubleBE(at)
  }
  return columns
}
