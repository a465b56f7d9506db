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
