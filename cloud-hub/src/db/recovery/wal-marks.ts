import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { lchown } from 'node:fs/promises'
import path from 'node:path'
import type { Cluster } from '../embedded/cluster.ts'
import { readControlFile } from '../embedded/control-file.ts'
import { syncFolder, writeDurably } from './archive.ts'
import { historyName, SEGMENT_NAME, segmentNumber } from './lsn.ts'
import { parseHistory } from './timelines.ts'

/** PostgreSQL's marks of what is to archive, and of what it must not archive. Source: PostgreSQL, xlogarchive.c (XLogArchiveNotify) */
const mark = (wal: string, name: string, state: 'ready' | 'done') => path.join(wal, 'archive_status', `${name}.${state}`)
export const doneMark = (wal: string, name: string): string => mark(wal, name, 'done')

/**
 * The recovery ran without archiving, so that a restore that fails adds no timeline to the archive. The server archives what is marked
 * here when it starts: the history, the complete segments of the new timeline, and those of older ones that the archive lacks. What an older
 * timeline wrote into the segment that it was left in is in the first segment of the new one.
 */
export async function markUnarchived({ dataDir, user }: Cluster): Promise<void> {
  const wal = path.join(dataDir, 'pg_wal')
  const { timeline = 1, checkpointLsn = 0 } = readControlFile(dataDir) ?? {}
  const add = async (name: string, state: 'ready' | 'done') => {
    await writeDurably(mark(wal, name, state), '')
    if (user.uid !== undefined && user.gid !== undefined) await lchown(mark(wal, name, state), user.uid, user.gid)
  }
  const history = path.join(wal, historyName(timeline))
  if (!existsSync(history)) return
  await add(historyName(timeline), 'ready')
  const ends = new Map(parseHistory(readFileSync(history, 'utf8'), timeline).map((span) => [span.timeline, span.until]))
  for (const name of readdirSync(wal)) {
    if (!SEGMENT_NAME.test(name) || existsSync(mark(wal, name, 'done'))) continue
    const { size } = statSync(path.join(wal, name))
    const own = Number.parseInt(name.slice(0, 8), 16)
    const isComplete = (segmentNumber(name, size) + 1) * size <= Math.min(ends.get(own) ?? 0, checkpointLsn)
    if (isComplete) await add(name, 'ready')
    else if (own !== timeline) await add(name, 'done')
  }
  await syncFolder(path.join(wal, 'archive_status'))
}
