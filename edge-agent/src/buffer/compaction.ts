import { crc32 } from 'node:zlib'
import { READING_LIMITS } from '@haltless/protocol'
import type { Database } from 'better-sqlite3'
import { type Chunk, mergeChunks } from './chunk.ts'

interface Row {
  id: number
  count: number
  crc: number
  body: Buffer
}

/** Chunks of this size are left alone: merging them gains little. */
const LARGE = READING_LIMITS.readingsPerRequest / 2

/**
 * Merges one row of small neighbouring chunks into the first of them; inside a transaction. A poll of ten values takes 300 bytes on disk,
 * most of them names; a hundred polls together take 1,000. So a plant that is cut off for weeks needs a tenth of the space.
 * @param after ids up to here have been looked at
 * @param before ids from here on are left alone: they are on their way
 * @returns the id up to which all is done now, or null when there is nothing to do yet
 */
export function compactOnce(db: Database, after: number, before: number, claimed: ReadonlySet<number>): number | null {
  const { group, isWhole, passed } = findGroup(db, after, before, claimed)
  if (!isWhole) return passed > after ? passed : null
  merge(db, group)
  return (group.at(-1) as Row).id
}

/** The first neighbours that make one chunk, whole when none can join them any more; and the id of the last row before them. */
function findGroup(
  db: Database,
  after: number,
  before: number,
  claimed: ReadonlySet<number>,
): { group: Row[]; isWhole: boolean; passed: number } {
  const group: Row[] = []
  let total = 0
  let passed = after
  const rows = db.prepare<[number, number], Row>('SELECT id, count, crc, body FROM chunks WHERE id > ? AND id < ? ORDER BY id')
  for (const row of rows.iterate(after, before)) {
    const isLeftAlone = row.count >= LARGE || claimed.has(row.id) || crc32(row.body) !== row.crc
    if (group.length > 0 && (isLeftAlone || total + row.count > READING_LIMITS.readingsPerRequest))
      return { group, isWhole: true, passed }
    if (isLeftAlone) passed = row.id
    else {
      group.push(row)
      total += row.count
    }
  }
  return { group, isWhole: false, passed }
}

function merge(db: Database, rows: readonly Row[]): void {
  const [first, ...others] = rows as [Row, ...Row[]]
  const merged: Chunk | null = others.length > 0 ? mergeChunks(rows.map(({ body }) => body)) : null
  if (!merged) return
  db.prepare('UPDATE chunks SET count = ?, crc = ?, body = ? WHERE id = ?').run(
    merged.count,
    crc32(merged.body),
    merged.body,
    first.id,
  )
  const remove = db.prepare('DELETE FROM chunks WHERE id = ?')
  for (const { id } of others) remove.run(id)
}
