import { BatchError, type ReadingColumns, type Series } from '@haltless/protocol'
import { ByteReader, ByteWriter } from '@haltless/protocol/bytes'
import { readRows, runsOf, writeRows } from '@haltless/protocol/rows'
import type { SeriesDictionary } from './series-dictionary.ts'

/**
 * Polls that compaction packed: the columns of a batch of version 2, which name their series by the numbers of the {@link SeriesDictionary} of the same
 * file. What only the hub can resolve is never stored.
 *
 * Body: magic, version, flags, then the rows.
 */
const MAGIC = 0x50 // P, as a poll has it
const VERSION = 2
const HEAD_BYTES = 3

export const isPackedPolls = (body: Uint8Array): boolean => body[0] === MAGIC && body[1] === VERSION

/** @param columns series-major, at most 1,000 readings */
export function packPolledColumns(columns: ReadingColumns, dictionary: SeriesDictionary): Uint8Array {
  const { seriesIndex, timestamps, values } = columns
  const numbers = dictionary.numbersOf(columns.series)
  const rows = new ByteWriter()
  const runs = runsOf(seriesIndex, (index) => numbers[index] as number)
  const flags = writeRows(rows, { runs, timestamps, values }, dictionary.classes)
  const out = new ByteWriter()
  out.reserve(HEAD_BYTES + rows.length)
  out.append(Uint8Array.of(MAGIC, VERSION, flags))
  out.append(rows.written())
  return out.written()
}

/** @throws BatchError or Error for bytes that were damaged on disk */
export function readPackedPolls(body: Uint8Array, dictionary: SeriesDictionary): ReadingColumns {
  if (body.length < HEAD_BYTES) throw new BatchError('truncated', 'the packed polls end within their header')
  const from = new ByteReader(body)
  from.position = HEAD_BYTES
  const { runs, timestamps, values } = readRows(from, body[2] as number, dictionary.classes)
  const places = new Map<number, number>()
  const series: Series[] = []
  const seriesIndex = new Uint32Array(values.length)
  for (let run = 0; run < runs.series.length; run++) {
    const number = runs.series[run] as number
    let place = places.get(number)
    if (place === undefined) {
      place = series.push(dictionary.seriesOf(number)) - 1
      places.set(number, place)
    }
    seriesIndex.fill(place, runs.starts[run] as number, runs.starts[run + 1] as number)
  }
  return { series, seriesIndex, timestamps, values }
}
