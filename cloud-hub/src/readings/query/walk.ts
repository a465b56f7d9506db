import type { TenantScope } from '../../db/scope.ts'
import { type Columns, emptyColumns } from '../codec/columns.ts'
import { MAX_READINGS } from '../codec/format.ts'
import { columnsOfRange } from './columns.ts'

/** Limits of readings in memory: maximum of one series, which is a block, maximum of all series, minimum of one series. */
const [MAX_PER_SERIES, MAX_TOTAL, MIN_PER_SERIES] = [MAX_READINGS, 2 * MAX_READINGS, 500]
/** Maximum of readings of a batch. */
const BATCH = 20_000

/** A reading of {@link walkReadings}. */
export interface WalkedReading {
  /** index of its series in the request */
  series: number
  /** Unix ms */
  at: number
  value: number
}

/**
 * All readings of some series between two instants (both inclusive), ascending by time; of one instant in the order of the
 * series. Only some pages are in memory, and each page is a short transaction. A page of a single series is at least a block.
 * @yields the next readings; two batches may divide the readings of one instant
 */
export async function* walkReadings(
  scope: TenantScope,
  seriesIds: readonly number[],
  from: number,
  until: number,
): AsyncGenerator<WalkedReading[]> {
  const size = Math.max(MIN_PER_SERIES, Math.min(MAX_PER_SERIES, Math.floor(MAX_TOTAL / seriesIds.length)))
  const open = async (place: number, after: number): Promise<Cursor> => {
    const range = { tenantId: scope.tenantId, seriesIds: [seriesIds[place] as number], from: after, until: until + 1 }
    const [page] = await scope.read((tx) => columnsOfRange(tx, range, size))
    return { place, page: page ?? emptyColumns(), at: 0 }
  }
  const cursors: Cursor[] = []
  // one by one, to occupy only one connection
  for (const place of seriesIds.keys()) cursors.push(await open(place, from))
  while (cursors.some((cursor) => cursor.at < cursor.page.length)) {
    const steps: WalkedReading[] = []
    for (let next = earliest(cursors); next; next = earliest(cursors)) {
      steps.push({ series: next.place, at: next.page.times[next.at] as number, value: next.page.values[next.at] as number })
      const isOver = ++next.at === next.page.length
      if (isOver && next.page.length === size)
        Object.assign(next, await open(next.place, (next.page.times[next.at - 1] as number) + 1))
      if (steps.length >= BATCH) break
    }
    yield steps
  }
}

interface Cursor {
  place: number
  page: Columns
  /** index of the next reading in the page */
  at: number
}

function earliest(cursors: readonly Cursor[]): Cursor | undefined {
  let found: Cursor | undefined
  for (const cursor of cursors) {
    if (cursor.at >= cursor.page.length) continue
    if (!found || (cursor.page.times[cursor.at] as number) < (found.page.times[found.at] as number)) found = cursor
  }
  return found
}
