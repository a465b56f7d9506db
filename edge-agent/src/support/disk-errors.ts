import { accessSync, constants } from 'node:fs'
import Database from 'better-sqlite3'

const codeOf = (error: unknown): string => (error instanceof Database.SqliteError ? error.code : '')
/** The file, or a page of it, is no database any more. */
export const isCorruptionError = (error: unknown): boolean => /^SQLITE_(CORRUPT|NOTADB)/.test(codeOf(error))
/** Another program, such as a backup or a database browser, holds the file for longer than we wait. Making room would not help. */
export const isBusyError = (error: unknown): boolean => /^SQLITE_(BUSY|LOCKED)/.test(codeOf(error))
/** The disk has no room. */
export const isDiskFullError = (error: unknown): boolean => /^SQLITE_FULL/.test(codeOf(error))
/** A full or failing disk, one mounted read-only after an error, or a file locked by another process: no write succeeds. */
export const isWriteError = (error: unknown): boolean =>
  /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN)/.test(codeOf(error)) || isBusyError(error)
/** The disk fails or was mounted read-only, and more room would not help. */
export const isDiskFailure = (error: unknown): boolean => isWriteError(error) && !isBusyError(error) && !isDiskFullError(error)

/** Errors of a file system that takes no files, in Node's words. */
const UNUSABLE = new Set(['EROFS', 'ENOSPC', 'EDQUOT', 'EIO'])

/**
 * Whether the disk is at fault, and not the rights of this user: those are for the operator to set right before the agent runs.
 * @param error of SQLite or of the file system
 */
export function isDiskUnusable(error: unknown, folder: string): boolean {
  if (UNUSABLE.has((error as NodeJS.ErrnoException).code ?? '')) return true
  if (!isWriteError(error)) return false
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
    return true
  } catch (refused) {
    return (refused as NodeJS.ErrnoException).code === 'EROFS'
  }
}
