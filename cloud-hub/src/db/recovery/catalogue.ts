import { existsSync } from 'node:fs'
import { readdir, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { type ArchiveSettings, archiveOwner, baseFolder, walFolder } from './archive.ts'
import { parseLsn } from './lsn.ts'
import { COMPRESSED } from './wal-source.ts'

/** What is known of a base backup, in a file beside those of the others. */
export interface BaseBackup {
  /** when it began, as in `20261128T180139Z`; also the name of its folder */
  label: string
  /** absolute */
  folder: string
  startedAt: string
  /** from here on the archive leads to any instant */
  endedAt: string
  timeline: number
  /** positions in the WAL */
  startLsn: string
  endLsn: string
  systemId: string
  segmentBytes: number
  hubVersion: string
  postgresVersion: string
  /** identifies the SECRET_KEY without revealing it */
  keyMark: string
  /** the backup holds the key that the hub generated */
  hasSecretKey: boolean
  /** of the compressed file */
  bytes: number
  manifestSha256: string
}

export const MANIFEST = 'backup_manifest'
export const DATA_FILE = 'base.tar.zst'
export const KEY_FILE = 'secret-key'

export const entryFile = (archive: Pick<ArchiveSettings, 'folder'>, label: string): string =>
  path.join(baseFolder(archive), `${label}.json`)

/** All base backups, the oldest first. One whose folder is inside the list's is found wherever both were moved to. */
export async function listBaseBackups(archive: Pick<ArchiveSettings, 'folder'>): Promise<BaseBackup[]> {
  const folder = baseFolder(archive)
  const names = (await readdir(folder).catch(noFolder)).filter((name) => /^\w+\.json$/.test(name)).sort()
  const backups: BaseBackup[] = []
  for (const name of names) {
    const entry = JSON.parse(await readFile(path.join(folder, name), 'utf8')) as BaseBackup
    const beside = path.join(folder, entry.label)
    backups.push({ ...entry, folder: existsSync(beside) ? beside : entry.folder })
  }
  return backups
}

function noFolder(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOENT') return []
  throw error
}

/**
 * Files of attachments whose rows were deleted from this instant on are kept, because a restore may bring the rows back. null: there is
 * no base backup, and nothing to restore. Where the archive is not there, as without its mount, every file is kept.
 */
export async function keptSince(archive: Pick<ArchiveSettings, 'folder'>): Promise<Date | null> {
  if ((await archiveOwner(archive.folder)) === null) return new Date(0)
  const [oldest] = await listBaseBackups(archive)
  return oldest ? new Date(oldest.startedAt) : null
}

/** The number of a segment, whatever its timeline: the same comparison as `pg_archivecleanup`. */
const numberOf = (name: string) => name.slice(8, 24)
const BELONGS_TO_SEGMENT = /^[0-9A-F]{24}(\.(partial|[0-9A-F]{8}\.backup))?$/

/**
 * Removes all base backups but the newest ones, and the segments that none of the remaining ones needs.
 * @param keep at least 1
 */
export async function removeOldBackups(archive: ArchiveSettings, keep: number): Promise<{ backups: string[]; segments: number }> {
  const all = await listBaseBackups(archive)
  const old = all.slice(0, -keep)
  for (const { label, folder } of old) {
    // the entry first: a folder without an entry is never restored
    await rm(entryFile(archive, label), { force: true })
    await rm(folder, { recursive: true, force: true })
  }
  const kept = all.slice(-keep)
  const [oldest] = kept
  if (!oldest || archive.restoreCommand !== undefined) return { backups: old.map(({ label }) => label), segments: 0 }
  // after a restore to an earlier instant, a newer base backup begins at an earlier position than one of the history that was left
  const first = Math.min(...kept.map(({ startLsn, segmentBytes }) => Math.floor(parseLsn(startLsn) / segmentBytes)))
  const perHigh = 0x1_0000_0000 / oldest.segmentBytes
  const hex = (n: number) => n.toString(16).toUpperCase().padStart(8, '0')
  const firstNumber = hex(Math.floor(first / perHigh)) + hex(first % perHigh)
  let segments = 0
  for (const name of await readdir(walFolder(archive)).catch(() => [])) {
    const plain = name.endsWith(COMPRESSED) ? name.slice(0, -COMPRESSED.length) : name
    if (!BELONGS_TO_SEGMENT.test(plain) || numberOf(plain) >= firstNumber) continue
    await rm(path.join(walFolder(archive), name), { force: true })
    segments++
  }
  return { backups: old.map(({ label }) => label), segments }
}
