/** A half-open stretch of time, Unix ms. The end may be infinite. */
export interface TimeInterval {
  readonly start: number
  readonly end: number
}

/** A stretch of time that belongs to one interval. */
export interface Segment<T> extends TimeInterval {
  readonly owner: T
}

/**
 * Attributes every instant of a window that at least one interval covers to exactly one of the intervals that cover it: the one
 * that comes first by `compare`. The result does not depend on the order of the intervals if `compare` is a total order.
 * @param compare negative where `a` has precedence over `b`, as for `Array.sort`
 * @returns disjoint segments inside the window in the order of time; adjacent segments of one interval are joined
 */
export function attributeTime<T extends TimeInterval>(
  window: TimeInterval,
  intervals: readonly T[],
  compare: (a: T, b: T) => number,
): Segment<T>[] {
  const clipped = intervals
    .map((owner) => ({ owner, start: Math.max(owner.start, window.start), end: Math.min(owner.end, window.end) }))
    .filter(({ start, end }) => start < end)
    .toSorted((a, b) => compare(a.owner, b.owner))
  // The bounds of all intervals cut the window into slots. Each slot is free until the first interval that covers it owns it.
  const bounds = Float64Array.from(new Set(clipped.flatMap(({ start, end }) => [start, end]))).sort()
  const slotOf = new Map(Array.from(bounds, (at, slot) => [at, slot]))
  const owners: T[] = []
  const nextFree = Uint32Array.from(bounds, (_, slot) => slot)
  for (const { owner, start, end } of clipped) {
    const last = slotOf.get(end) as number
    for (let slot = findFree(nextFree, slotOf.get(start) as number); slot < last; slot = findFree(nextFree, slot)) {
      owners[slot] = owner
      nextFree[slot] = slot + 1
    }
  }
  return joinSlots(bounds, owners)
}

/** The first free slot at or after a slot. It shortens the path that it follows, as a disjoint-set forest does. */
function findFree(nextFree: Uint32Array, from: number): number {
  let slot = from
  while (nextFree[slot] !== slot) {
    const next = nextFree[slot] as number
    nextFree[slot] = nextFree[next] as number
    slot = next
  }
  return slot
}

function joinSlots<T>(bounds: Float64Array, owners: T[]): Segment<T>[] {
  const segments: { owner: T; start: number; end: number }[] = []
  for (let slot = 0; slot + 1 < bounds.length; slot++) {
    const owner = owners[slot]
    if (owner === undefined) continue
    const [start, end] = [bounds[slot] as number, bounds[slot + 1] as number]
    const before = segments.at(-1)
    if (before?.owner === owner && before.end === start) before.end = end
    else segments.push({ owner, start, end })
  }
  return segments
}

/** Milliseconds of segments by a key of their interval. A key without a segment is missing. */
export function sumByKey<T, K>(segments: readonly Segment<T>[], keyOf: (owner: T) => K): Map<K, number> {
  const sums = new Map<K, number>()
  for (const { owner, start, end } of segments) sums.set(keyOf(owner), (sums.get(keyOf(owner)) ?? 0) + end - start)
  return sums
}

/** The precedence of uptime and Pareto: the record that started earlier, then the smaller id. */
export const byStart = (a: TimeInterval & { id: string }, b: TimeInterval & { id: string }): number =>
  a.start - b.start || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
