import { decodeBlock, decodeBlockTimes } from '../codec/block.ts'
import { type Columns, emptyColumns, indexAtOrAfter } from '../codec/columns.ts'
import { MAX_READINGS } from '../codec/format.ts'
import { readTailBody } from '../codec/tail-body.ts'
import type { Range } from '../range.ts'
import { BLOCK, type StoredPart, TAIL } from './stored-parts.ts'

/**
 * Visits the readings `from` to `to` (exclusive) of columns: those of one part of a series that lie in the range. The arrays are
 * valid during the visit only.
 * @param place index of the series in the request
 * @param values empty where the statement did not ask for values
 */
export type VisitReadings = (place: number, times: Float64Array, values: Float64Array, from: number, to: number) => void

const NO_VALUES = new Float64Array(0)

/** Every block is decoded here. No visit awaits, so no two reads use it at once. */
const scratch: Columns = emptyColumns(MAX_READINGS)

/** Creates a visitor of tail rows and blocks that decodes their readings and cuts them to the range. */
export function readingsOfParts({ seriesIds, from, until }: Range, visit: VisitReadings): (part: StoredPart) => void {
  const places = new Map(seriesIds.map((id, place) => [id, place]))
  const visitCut = (place: number, times: Float64Array, values: Float64Array, length: number) => {
    const begin = indexAtOrAfter(times, 0, length, from)
    const end = indexAtOrAfter(times, begin, length, until)
    if (begin < end) visit(place, times, values, begin, end)
  }
  return ({ kind, place, n, times, vals }) => {
    if (kind === TAIL && vals)
      readTailBody(
        vals,
        (id) => places.has(id),
        (id, at, values) => visitCut(places.get(id) as number, at, values, at.length),
      )
    else if (kind === BLOCK && times && vals) {
      decodeBlock(n, times, vals, scratch)
      visitCut(place, scratch.times, scratch.values, n)
    } else if (kind === BLOCK && times) visitCut(place, decodeBlockTimes(n, times), NO_VALUES, n)
  }
}
