import { lchown, mkdir } from 'node:fs/promises'
import { OperatorError } from '../../support/errors.ts'
import type { Cluster } from '../embedded/cluster.ts'
import { readControlFile } from '../embedded/control-file.ts'
import { canEnter } from '../embedded/system-user.ts'
import { type ArchiveSettings, claimArchive, MissingArchive, walFolder } from './archive.ts'

/** A segment is archived at least so often while something is written: what a lost disk costs at most. */
const ARCHIVE_TIMEOUT = '60s'

/**
 * PostgreSQL's arguments that make it archive its WAL. Into a folder its module `basic_archive` does: it copies to a temporary name, flushes,
 * renames, and never replaces a different file. It needs no shell, whatever the path contains.
 * Where the archive is missing, archiving fails until the next start.
 * @throws ForeignArchive when the archive belongs to another cluster
 */
async function archiveFlags(archive: ArchiveSettings, { dataDir, user }: Cluster): Promise<string[]> {
  const folder = walFolder(archive)
  try {
    await claimArchive(archive, readControlFile(dataDir)?.systemId ?? '')
  } catch (error) {
    // the hub starts, so that readings are kept; PostgreSQL keeps all WAL while archiving fails
    if (error instanceof MissingArchive) return argumentsOf(archive.archiveCommand ?? 'exit 1')
    throw error
  }
  await mkdir(folder, { recursive: true, mode: 0o700 })
  if (user.uid !== undefined && user.gid !== undefined) await lchown(folder, user.uid, user.gid)
  if (user.uid !== undefined && !canEnter(user, folder))
    throw new OperatorError(
      `WAL_ARCHIVE: ${folder} cannot be entered by user ${user.uid}, who runs PostgreSQL: grant access (chmod o+x) to the folders above it.`,
    )
  return argumentsOf(archive.archiveCommand, folder)
}

/** @param command undefined: PostgreSQL archives into the folder */
function argumentsOf(command: string | undefined, folder = ''): string[] {
  const settings = {
    archive_mode: 'on',
    archive_timeout: ARCHIVE_TIMEOUT,
    ...(command === undefined
      ? { archive_library: 'basic_archive', 'basic_archive.archive_directory': folder }
      : { archive_command: command }),
  }
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

/** The option `archive` of the embedded PostgreSQL. @param settings undefined: it does not archive */
export const archiving = (settings: ArchiveSettings | undefined): ((cluster: Cluster) => Promise<string[]>) | undefined =>
  settings && ((cluster) => archiveFlags(settings, cluster))
