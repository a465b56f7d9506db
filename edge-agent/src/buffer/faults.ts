import Database from 'better-sqlite3'

const codeOf = (error: unknown): string => (error instanceof Database.SqliteError ? error.code : '')
/** The file, or a page of it, is no database any more. */
export const isDamage = (error: unknown): boolean => /^SQLITE_(CORRUPT|NOTADB)/.test(codeOf(error))
/** A full disk, a failing one, or one that was mounted read-only after an error. */
export const isUnwritable = (error: unknown): boolean => /^SQLITE_(FULL|IOERR|READONLY)/.test(codeOf(error))
