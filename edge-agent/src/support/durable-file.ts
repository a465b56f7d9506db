import { randomUUID } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** The part of the logger that reports damage. */
export interface DamageLog {
  error(fields: object, message: string): void
}

/** A folder cannot be flushed on Windows, and on some network file systems: they order changes of names themselves. */
const NO_FOLDER_SYNC = new Set(['EINVAL', 'ENOTSUP', 'EPERM', 'EISDIR', 'EACCES'])

/** Flushes a file's content to the disk. @throws Error of the file system */
export function syncFile(file: string): void {
  const handle = openSync(file, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** Flushes the names in a folder to the disk: a renamed file is only there for certain after this. */
export function syncFolder(folder: string): void {
  try {
    syncFile(folder)
  } catch (error) {
    if (!NO_FOLDER_SYNC.has((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}

/** Makes a folder that only its owner may enter, with the folders above it. They survive a power cut from then on. */
export function makePrivateFolder(folder: string): void {
  const first = mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (first === undefined) return
  for (let made = folder; made.length >= first.length; made = dirname(made)) syncFolder(dirname(made))
}

/** Who may use a file that is written for another user. */
export interface FileAccess {
  mode: number
  /** null: this process */
  owner: Pick<Stats, 'uid' | 'gid'> | null
}

const PRIVATE: FileAccess = { mode: 0o600, owner: null }

/**
 * Replaces a file as a whole: after a power cut it has the old content or the new one. Only its owner may read it, unless `access` says
 * otherwise.
 * @throws Error of the file system; then the old content stands
 */
export function writeDurably(file: string, content: string | Uint8Array, access = PRIVATE): void {
  makePrivateFolder(dirname(file))
  const temporary = temporaryName(file)
  try {
    writeAndSync(temporary, content, access)
    renameSync(temporary, file)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
  syncFolder(dirname(file))
}

/**
 * Makes a folder with all its files at once: after a power cut it is there with every file whole, or not at all.
 * @throws Error of the file system, such as ENOTEMPTY or EEXIST when the folder is there already
 */
export function writeFolderDurably(folder: string, files: Readonly<Record<string, string | Uint8Array>>): void {
  makePrivateFolder(dirname(folder))
  const temporary = temporaryName(folder)
  try {
    mkdirSync(temporary, { mode: 0o700 })
    for (const [name, content] of Object.entries(files)) writeAndSync(join(temporary, name), content)
    syncFolder(temporary)
    renameSync(temporary, folder)
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true })
    throw error
  }
  syncFolder(dirname(folder))
}

/** Replicas of a hub may share the folder, so the process id would not tell them apart. */
const temporaryName = (path: string): string => `${path}.${randomUUID().slice(0, 8)}.new`

/**
 * Owner and mode are set on the open file, and an existing one is refused: where root writes into the folder of another user, that user
 * could put a link in its place.
 */
function writeAndSync(file: string, content: string | Uint8Array, { mode, owner } = PRIVATE): void {
  const handle = openSync(file, 'wx', 0o600)
  try {
    writeFileSync(handle, content)
    if (owner) fchownSync(handle, owner.uid, owner.gid)
    if (mode !== 0o600) fchmodSync(handle, mode)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/**
 * Makes a file that only its owner may read where there is none, and takes the rights of others away where there is one: for SQLite, which
 * would follow the umask. An existing file is not opened, because closing it would end SQLite's locks of this process. What cannot be done
 * here is reported by SQLite itself. Source: sqlite.org/howtocorrupt.html, 2.2
 */
export function makePrivateFile(file: string): void {
  try {
    const known = statSync(file, { throwIfNoEntry: false })
    if (!known) closeSync(openSync(file, 'wx', 0o600))
    else if ((known.mode & 0o077) !== 0) chmodSync(file, 0o600)
  } catch {}
}

/** `name.damaged-2026-11-22T10-31-05.123Z` */
const ASIDE = /^(.+)\.damaged-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d+Z$/

/** The name that a damaged file had before {@link quarantine}; null for any other file. */
export const originalName = (name: string): string | null => ASIDE.exec(name)?.[1] ?? null

/**
 * Renames a damaged file or folder, so that it is kept for people and no longer in the way. Another program may be faster.
 * @param reason what is wrong and what follows, in words for the operator
 * @param now Unix ms
 * @returns its new path
 */
export function quarantine(
  path: string,
  reason: string,
  log: DamageLog,
  now = Date.now(),
  suffixes: readonly string[] = [''],
): string {
  const kept = `${path}.damaged-${new Date(now).toISOString().replaceAll(':', '-')}`
  for (const suffix of suffixes) {
    try {
      renameSync(path + suffix, kept + suffix)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
  syncFolder(dirname(path))
  log.error({ kept }, `${basename(path)}: ${reason}`)
  return kept
}
