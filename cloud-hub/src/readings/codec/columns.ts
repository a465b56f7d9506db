/** Readings of one series, ascending. Arrays may be longer than `length`. */
export interface Columns {
  length: number
  /** Unix ms */
  times: Float64Array
  values: Float64Array
}

export const emptyColumns = (capacity = 0): Columns => ({
  length: 0,
  times: new Float64Array(capacity),
  values: new Float64Array(capacity),
})

/** The index of the first instant at or after `at`, between `from` and `to`. */
export function indexAtOrAfter(times: Float64Array, from: number, to: number, at: number): number {
  let [low, high] = [from, to]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((times[middle] as number) < at) low = middle + 1
    else high = middle
  }
  return low
}
