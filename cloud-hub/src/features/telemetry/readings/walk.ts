import type { TenantScope } from '../../../db/scope.ts'
import type { Columns } from './codec/columns.ts'
import { type BinaryColumns, decodeColumns } from './columns.ts'

/** Limits of readings in memory: maximum of one series, maximum of all series, minimum of one series. */
const [MAX_PER_SERIES, MAX_TOTAL, MIN_PER_SERIES] = [20_000, 200_000, 500]

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
 * series. Only some pages are in memory, and each page is a short transaction. A page comes as two columns ({@link decodeColumns}),
 * because there may be millions of readings. @yields the next readings; two batches may divide the readings of one instant
 */
export async function* walkReadings(
  scope: TenantScope,
  seriesIds: readonly number[],
  from: number,
  until: number,
): AsyncGenerator<WalkedReading[]> {
  const size = Math.max(MIN_PER_SERIES, Math.min(MAX_PER_SERIES, Math.floor(MAX_TOTAL / seriesIds.length)))
  const open = (place: number, after: number) => opened(scope, place, seriesIds[place] as number, after, until, size)
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
      if (steps.length >= MAX_PER_SERIES) break
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

async function opened(
  scope: TenantScope,
  place: number,
  seriesId: number,
  from: number,
  until: number,
  size: number,
): Promise<Cursor> {
  const [row] = await scope.rawRead(
    (tx) => tx<BinaryColumns[]>`
      select array_send(array_agg(ts order by ts)) as times, array_send(array_agg(value order by ts)) as values from (
        select ts, value from readings where series_id = (select id from series where tenant_id = ${scope.tenantId} and id = ${seriesId})
          and ts between ${new Date(from)} and ${new Date(until)} order by ts limit ${size}) page`,
  )
  return { place, at: 0, page: decodeColumns(row ?? { times: null, values: null }) }
}
