import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { constants, zstdCompress } from 'node:zlib'
import { OperatorError } from '../../support/errors.ts'
import { SEGMENT_NAME } from './lsn.ts'
import { COMPRESSED, commandSource, DamagedFile, folderSource, orNull, readPacked, type WalSource } from './wal-source.ts'

const compress = promisify(zstdCompress)

/** The setting WAL_ARCHIVE and its neighbours. */
export interface ArchiveSettings {
  /** absolute: `wal` in it has the archived segments, `base` the list of base backups, and by default these themselves */
  folder: string
  /** PostgreSQL's archive_command of the embedded server; undefined: it archives into the folder */
  archiveCommand: string | undefined
  /** its counterpart; undefined: archived segments are in the folder */
  restoreCommand: string | undefined
  /** in DATA_DIR: says that the cluster has an archive already, so that an empty one is not taken for a new one */
  claimFile?: string
}

export const walFolder = ({ folder }: Pick<ArchiveSettings, 'folder'>): string => path.join(folder, 'wal')
export const baseFolder = ({ folder }: Pick<ArchiveSettings, 'folder'>): string => path.join(folder, 'base')

export const sourceOf = (archive: ArchiveSettings): WalSource =>
  archive.restoreCommand === undefined ? folderSource(walFolder(archive)) : commandSource(archive.restoreCommand)

/** Writes a file so that it is whole under its name or not there, also after a power failure. */
export async function writeDurably(file: string, bytes: string | Buffer, mode = 0o600): Promise<void> {
  const draft = path.join(path.dirname(file), `.${path.basename(file)}.${randomUUID()}`)
  try {
    const handle = await open(draft, 'wx', mode)
    try {
      await handle.writeFile(bytes)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(draft, file)
    await syncFolder(path.dirname(file))
  } finally {
    await rm(draft, { force: true })
  }
}

/** Some network file systems cannot flush folders. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder)
  await handle
    .sync()
    .catch(() => {})
    .finally(() => handle.close())
}

/** The archive has segments of another cluster. */
export class ForeignArchive extends OperatorError {}

const markFile = (folder: string) => path.join(folder, 'system-identifier')

/** The cluster that an archive belongs to; null: none yet, or the archive is not there. */
export const archiveOwner = async (folder: string): Promise<string | null> =>
  (await readFile(markFile(folder), 'utf8').catch(() => '')).trim() || null

/** A cluster that has an archive finds an empty directory in its place. */
export class MissingArchive extends OperatorError {}

const missingArchive = (folder: string, claimFile: string) =>
  new MissingArchive(
    `WAL_ARCHIVE: ${folder} is not the archive that this database has used; is it mounted? Mount it and start the hub again. ` +
      `To begin a new archive there, remove ${claimFile}, start the hub again and make a base backup.`,
  )

/** @returns what is wrong where the archive was there once, and is not now; null: nothing */
export async function missingArchiveFault({ folder, claimFile }: ClaimedArchive): Promise<string | null> {
  if (!claimFile || (await archiveOwner(folder)) !== null || (await readClaim(claimFile)) === null) return null
  return missingArchive(folder, claimFile).message
}

type ClaimedArchive = Pick<ArchiveSettings, 'folder' | 'claimFile'>

/** The cluster that has an archive. */
const readClaim = async (file: string): Promise<string | null> =>
  ((await readFile(file, 'utf8').catch(orNull)) ?? '').trim() || null

/**
 * Makes the folder of an archive, unless it is another one than that of the cluster.
 * @throws ForeignArchive: two clusters would write different segments under the same names
 * @throws MissingArchive: an archive without its mount looks like a new one, and the WAL would go to the wrong disk
 */
export async function makeArchive({ folder, claimFile }: ClaimedArchive, systemId: string): Promise<void> {
  const owner = await archiveOwner(folder)
  const claim = claimFile ? await readClaim(claimFile) : null
  if (owner === null && claimFile && claim === systemId) throw missingArchive(folder, claimFile)
  if (owner !== null && owner !== systemId)
    throw new ForeignArchive(
      `WAL_ARCHIVE: ${folder} belongs to another database cluster (${owner}; this one is ${systemId}). ` +
        'Name an empty directory, or restore that cluster with `npm run hub -- restore --at`.',
    )
  await mkdir(folder, { recursive: true, mode: 0o711 }).catch((error: NodeJS.ErrnoException) => {
    throw new OperatorError(
      `WAL_ARCHIVE: ${folder} cannot be made (${error.code}). Make it, and give it to the user that runs the hub.`,
    )
  })
}

/** Marks an archive as that of a cluster, when neither has one yet. @throws as `makeArchive` */
export async function claimArchive(archive: ClaimedArchive, systemId: string): Promise<void> {
  const { folder, claimFile } = archive
  await makeArchive(archive, systemId)
  if ((await archiveOwner(folder)) === null) await writeDurably(markFile(folder), `${systemId}\n`, 0o644)
  if (!claimFile || (await readClaim(claimFile)) === systemId) return
  await mkdir(path.dirname(claimFile), { recursive: true })
  await writeDurably(claimFile, `${systemId}\n`, 0o644)
}

/** A file that was written so long ago is whole, whatever program writes it. */
const SETTLED_MS = 30_000

/**
 * Compresses archived segments: one that was switched early is mostly zeros. A segment that was archived twice, as after a crash,
 * is compared with the compressed one. Another hub may do the same at the same time.
 * @throws Error when they differ; both stay, and the others are compressed all the same
 */
export async function compressSegments(folder: string, signal: AbortSignal, now = Date.now()): Promise<number> {
  let count = 0
  const different: string[] = []
  for (const name of (await readdir(folder).catch(() => [])).sort()) {
    if (signal.aborted) break
    if (!SEGMENT_NAME.test(name)) continue
    const outcome = await compressSegment(folder, name, now)
    if (outcome === 'compressed') count++
    if (outcome === 'different') different.push(path.join(folder, name))
  }
  const [first] = different
  if (first)
    throw new Error(
      `${first} and ${first}${COMPRESSED} differ: two servers archive into this directory, or one of the files is damaged`,
    )
  return count
}

async function compressSegment(folder: string, name: string, now: number): Promise<'compressed' | 'different' | null> {
  const file = path.join(folder, name)
  const found = await stat(file).catch(orNull)
  if (!found || now - found.mtimeMs < SETTLED_MS) return null
  const bytes = await readFile(file).catch(orNull)
  if (!bytes) return null
  const packed = await readPacked(folder, name).catch((error) => {
    if (error instanceof DamagedFile) return error
    throw error
  })
  if (packed && (packed instanceof DamagedFile || !packed.equals(bytes))) return 'different'
  if (!packed) await writeDurably(file + COMPRESSED, await compress(bytes, { params: { [constants.ZSTD_c_checksumFlag]: 1 } }))
  await rm(file, { force: true })
  return packed ? null : 'compressed'
}
