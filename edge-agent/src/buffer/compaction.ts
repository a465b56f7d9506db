import { crc32 } from 'node:zlib'
import { mergeColumns, READING_LIMITS } from '@haltless/protocol'
import type { Database } from 'better-sqlite3'
import { packBatches, packForLong, tryDecodeColumns } from './chunk.ts'
import type { ClockEpochs } from './clock-epochs.ts'
import { isPackedPolls } from './packed-polls.ts'
import { isPoll } from './poll.ts'
import type { SeriesDictionary } from './series-dictionary.ts'

interface Row {
  id: number
  appended_at: number
  count: number
  crc: number
  body: Buffer
  keeps_time: number
}

const isUnpacked = (body: Buffer): boolean => isPoll(body) && !isPackedPolls(body)

/** Whether every agent that may have to read the file knows packed polls. */
const hasPackedPolls = (db: Database): boolean => (db.pragma('user_version', { simple: true }) as number) >= 6

/** Batches of this size are left alone: merging them gains little. */
const LARGE = READING_LIMITS.readingsPerRequest / 2
/**
 * Packing polls of many series together saves space, because one name then serves several readings: at most this many polls, and
 * readings, at once.
 */
const POLLS = 16
const MAX_READINGS = 16_000

/**
 * Packs one row of neighbouring polls and small batches into fewer chunks, in place of the first of them; inside a transaction. A
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
  dictionary: SeriesDictionary,
): number | null {
  const { group, isWhole, passed } = findGroup(db, after, before, isKept, epochs)
  if (!isWhole) return passed > after ? passed : null
  merge(db, group, dictionary)
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
    'SELECT id, appended_at, count, crc, body, keeps_time FROM chunks WHERE id > ? AND id < ? ORDER BY id',
  )
  for (const row of rows.iterate(after, before)) {
    const isPacked = row.count >= LARGE && !isUnpacked(row.body)
    const isLeftAlone = isPacked || isKept(row.id) || crc32(row.body) !== row.crc
    const [first] = group
    if (first && (isLeftAlone || total + row.count > most || !epochs.isSame(first, row))) return { group, isWhole: true, passed }
    if (isLeftAlone) passed = row.id
    else {
      if (group.length === 0) most = Math.max(READING_LIMITS.readingsPerRequest, Math.min(MAX_READINGS, POLLS * row.count))
      group.push(row)
      total += row.count
    }
  }
  return { group, isWhole: false, passed }
}

function merge(db: Database, rows: readonly Row[], dictionary: SeriesDictionary): void {
  const [first] = rows as [Row]
  if (rows.length === 1 && !isUnpacked(first.body)) return
  const columns = rows.map(({ body }) => tryDecodeColumns(body, dictionary)).filter((part) => part !== null)
  // The sender or the retention handles unreadable chunks.
  if (columns.length < rows.length) return
  const merged = mergeColumns(columns)
  const packed = hasPackedPolls(db) ? packForLong(merged, dictionary) : packBatches(merged)
  // Names can be so long that a packet holds few readings
  if (packed.length > rows.length) return
  // Updated in place, each row would keep most of its page to itself.
  const remove = db.prepare('DELETE FROM chunks WHERE id = ?')
  for (const { id } of rows) remove.run(id)
  const insert = db.prepare('INSERT INTO chunks (id, appended_at, count, crc, body, keeps_time) VALUES (?, ?, ?, ?, ?, ?)')
  for (const [i, { count, body }] of packed.entries()) {
    const { id, appended_at, keeps_time } = rows[i] as Row
    insert.run(id, appended_at, count, crc32(body), body, keeps_time)
  }
}
