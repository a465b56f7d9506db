import { constants } from 'node:fs'
import { type FileHandle, glob, open, readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { type Fault, fault } from '@haltless/protocol'
import { FaultError } from '../../support/fault-error.ts'
import { isFileOf, type Position } from './position.ts'

export interface FoundFile {
  path: string
  inode: number
  size: number
  /** ms, with fractions */
  modifiedAt: number
}

/** Names that a pattern may match at all. */
const NAMES_MAX = 10_000
/** Files that are read of them; beyond that the oldest are left out. */
export const FILES_MAX = 1_000
/** Files of a folder that are searched for one that was renamed or copied. */
const SEARCHED_MAX = 5_000

/** The regular files that a path or pattern names, the least recently changed first. @returns also how many were left out */
export async function findFiles(pattern: string): Promise<{ files: FoundFile[]; leftOut: number }> {
  const names: string[] = []
  if (/[*?[{]/.test(pattern))
    for await (const name of glob(pattern)) {
      if (names.push(name) > NAMES_MAX) throw new FaultError(fault('file_too_many_names', { path: pattern, limit: NAMES_MAX }))
    }
  else names.push(pattern)
  const files = (await filesOf(names)).toSorted(byAge)
  const leftOut = Math.max(0, files.length - FILES_MAX)
  return { files: files.slice(leftOut), leftOut }
}

/** Why a path or pattern names no regular file. */
export async function whyNoFile(pattern: string): Promise<Fault> {
  const stats = await stat(pattern).catch(() => null)
  if (stats?.isDirectory()) return fault('file_is_folder', { path: pattern, example: path.join(pattern, '*.csv') })
  if (stats) return fault('file_irregular', { path: pattern })
  return fault('file_missing', { path: pattern })
}

/** The regular files in a folder, the most recently changed first. */
export async function filesIn(folder: string): Promise<FoundFile[]> {
  const names = await readdir(folder).catch(() => [])
  const files = await filesOf(names.slice(0, SEARCHED_MAX).map((name) => path.join(folder, name)))
  return files.toSorted(byAge).reverse()
}

const byAge = (a: FoundFile, b: FoundFile) => a.modifiedAt - b.modifiedAt || (a.path < b.path ? -1 : 1)

async function filesOf(names: readonly string[]): Promise<FoundFile[]> {
  const found = await Promise.all(names.map((name) => statFile(name)))
  return found.filter((file) => file !== null)
}

/** @returns null for what is no regular file, or cannot be reached: opening a pipe would wait */
export async function statFile(name: string): Promise<FoundFile | null> {
  try {
    const stats = await stat(name)
    return stats.isFile() ? { path: name, inode: stats.ino, size: stats.size, modifiedAt: stats.mtimeMs } : null
  } catch (error) {
    if (isAbsent(error)) return null
    throw error
  }
}

const isAbsent = (error: unknown): boolean => ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')

/** Opens a file for reading, without waiting for whatever stands in its place now. */
export const openFile = (name: string): Promise<FileHandle> => open(name, constants.O_RDONLY | constants.O_NONBLOCK)

/**
 * Where the content went that was read up to a position: the file under another name, or a copy of it.
 * @param candidates files that belong to no position
 * @param withCopies also in files that are no renamed ones
 */
export async function findContinuation(
  position: Position,
  candidates: readonly FoundFile[],
  withCopies: boolean,
): Promise<FoundFile | null> {
  const renamed = candidates.filter(({ inode }) => inode === position.inode)
  // of a file that was not read beyond its header any file with that header would be a copy
  const copies = withCopies && position.offset > position.start ? candidates.filter(({ inode }) => inode !== position.inode) : []
  for (const candidate of [...renamed, ...copies]) {
    if (candidate.size < position.offset) continue
    const file = await openFile(candidate.path).catch(() => null)
    if (!file) continue
    try {
      if (await isFileOf(file, candidate.size, position)) return candidate
    } finally {
      await file.close()
    }
  }
  return null
}
