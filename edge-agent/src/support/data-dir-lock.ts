import { statSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { isBusyError, isDiskUnusable } from './disk-errors.ts'
import { makePrivateFile, makePrivateFolder } from './durable-file.ts'

/** Another program holds the data directory. */
export class DataDirInUse extends Error {
  override readonly name = 'DataDirInUse'
}

/**
 * Holds a data directory for one agent, until `release` or the end of the process, however it ends: the lock is the kernel's, on an
 * SQLite file of its own, so nothing stale is left behind by a kill. On a disk that takes no files there is no lock, and nothing that another
 * agent could disturb, until {@link DataDirLock.renew}.
 * @param waitMs how long another may still hold it: the status command looks for a moment
 * @throws DataDirInUse when another process (or this one) holds it
 */
export function lockDataDir(dataDir: string, waitMs = 1_000): DataDirLock {
  let held = lock(dataDir, waitMs)
  return {
    renew() {
      if (held && inodeOf(dataDir) === held.inode) return
      const before = held
      held = lock(dataDir, waitMs)
      before?.db.close()
    },
    release: () => void held?.db.close(),
  }
}

export interface DataDirLock {
  /** Locks again where the lock file was removed, or could not be made so far. @throws DataDirInUse when another process was faster */
  renew(): void
  release(): void
}

const fileOf = (dataDir: string): string => join(dataDir, 'agent.lock')
const inodeOf = (dataDir: string) => statSync(fileOf(dataDir), { bigint: true, throwIfNoEntry: false })?.ino

interface Held {
  db: Database.Database
  inode: bigint | undefined
}

/** @returns null where the disk takes no files */
function lock(dataDir: string, waitMs: number): Held | null {
  let db: Database.Database | undefined
  try {
    makePrivateFolder(dataDir)
    makePrivateFile(fileOf(dataDir))
    db = new Database(fileOf(dataDir), { timeout: waitMs })
    db.pragma('journal_mode = DELETE')
    db.exec('BEGIN EXCLUSIVE')
    return { db, inode: inodeOf(dataDir) }
  } catch (error) {
    db?.close()
    if (isBusyError(error)) {
      throw new DataDirInUse(`another agent is running on ${dataDir}; stop it first, or give this one a data_dir of its own`)
    }
    if (isDiskUnusable(error, dataDir)) return null
    throw error
  }
}
