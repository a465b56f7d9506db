import { crc32 } from 'node:zlib'
import { mergeColumns, READING_LIMITS } from '@haltless/protocol'
import type { Database } from 'better-sqlite3'
import { packBatches, tryDecodeColumns } from './chunk.ts'
import type { ClockEpochs } from './clock-epochs.ts'
import { isPoll } from './poll.ts'
import { SeriesDictionary } from './series-dictionary.ts'

interface Row {
  id: number
  count: number
  crc: number
  body: Buffer
  keeps_time: number
}

/** Batches of this size are left alone: merging them gains little. */
const LARGE = READING_LIMITS.readingsPerRequest / 2
/**
 * Packing polls of many series together saves space, because one name then serves several readings: at most this many polls, and
 * readings, at once.
 */
const POLLS = 16
const MOST = 16_000

/**
 * Packs one row of neighbouring polls and small batches into batches, in place of the first of them; inside a transaction. A
 * hundred polls of ten values take 11,000 bytes on disk, packed together 1,000. A plant that is cut off for weeks needs a tenth
 * of the space.
 * @param after compaction has processed ids up to here
 * @param before ids from here on stay: the uplink is about to send them
 * @returns the id up to which all is processed now, or null when there is nothing to do yet
 */
export function compactOnce(
  db: Database,
  after: number,
  before: number,
  isKept: (id: number) => boolean,
  epochs: Pick<ClockEpochs, 'isSame'>,
): number | null {
  const { group, isWhole, passed } = findGroup(db, after, before, isKept, epochs)
  if (!isWhole) return passed > after ? passed : null
  merge(db, group)
  return (group.at(-1) as Row).id
}

/** The first neighbours that make one chunk, whole when none can join them any more; and the id of the last row before them. */
function findGroup(
  db: Database,
  after: number,
  before: number,
  isKept: (id: number) => boolean,
  epochs: Pick<ClockEpochs, 'isSame'>,
): { group: Row[]; isWhole: boolean; passed: number } {
  const group: Row[] = []
  let total = 0
  let most = 0
  let passed = after
  const rows = db.prepare<[number, number], Row>(
    'SELECT id, count, crc, body, keeps_time FROM chunks WHERE id > ? AND id < ? ORDER BY id',
  )
  for (const row of rows.iterate(after, before)) {
    const isPacked = row.count >= LARGE && !isPoll(row.body)
    const isLeftAlone = isPacked || isKept(row.id) || crc32(row.body) !== row.crc
    const [first] = group
    if (first && (isLeftAlone || total + row.count > most || !epochs.isSame(first, row))) return { group, isWhole: true, passed }
    if (isLeftAlone) passed = row.id
    else {
      if (group.length === 0) most = Math.max(READING_LIMITS.readingsPerRequest, Math.min(MOST, POLLS * row.count))
      group.push(row)
      total += row.count
    }
  }
  return { group, isWhole: false, passed }
}

function merge(db: Database, rows: readonly Row[]): void {
  const [first] = rows as [Row]
  if (rows.length === 1 && !isPoll(first.body)) return
  const dictionary = new SeriesDictionary(db)
  const columns = rows.map(({ body }) => tryDecodeColumns(body, dictionary)).filter((part) => part !== null)
  // The sender or the retention handles unreadable chunks.
  if (columns.length < rows.length) return
  const packed = packBatches(mergeColumns(columns))
  // Names can be so long that a packet holds few readings
  if (packed.length > rows.length) return
  const replace = db.prepare('UPDATE chunks SET count = ?, crc = ?, body = ? WHERE id = ?')
  const remove = db.prepare('DELETE FROM chunks WHERE id = ?')
  for (const [i, { id }] of rows.entries()) {
    const chunk = packed[i]
    if (chunk) replace.run(chunk.count, crc32(chunk.body), chunk.body, id)
    else remove.run(id)
  }
}
