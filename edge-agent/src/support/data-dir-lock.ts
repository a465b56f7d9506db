import { statSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { makePrivateFile, makePrivateFolder } from './durable-file.ts'

/** Another program holds the data directory. */
export class DataDirInUse extends Error {
  override readonly name = 'DataDirInUse'
}

/**
 * Holds a data directory for one agent, until `release` or the end of the process, however it ends: the lock is the kernel's, on an
 * SQLite file of its own, so nothing stale is left behind by a kill.
 * @param waitMs how long another may still hold it: the status command looks for a moment
 * @throws DataDirInUse when another process (or this one) holds it
 */
export function lockDataDir(dataDir: string, waitMs = 1_000): DataDirLock {
  let held = lock(dataDir, waitMs)
  return {
    renew() {
      if (inodeOf(dataDir) === held.inode) return
      const before = held
      held = lock(dataDir, waitMs)
      before.db.close()
    },
    release: () => void held.db.close(),
  }
}

export interface DataDirLock {
  /** Locks again where the lock file was removed. @throws DataDirInUse when another process was faster */
  renew(): void
  release(): void
}

const fileOf = (dataDir: string): string => join(dataDir, 'agent.lock')
const inodeOf = (dataDir: string) => statSync(fileOf(dataDir), { bigint: true, throwIfNoEntry: false })?.ino

function lock(dataDir: string, waitMs: number): { db: Database.Database; inode: bigint | undefined } {
  makePrivateFolder(dataDir)
  makePrivateFile(fileOf(dataDir))
  const db = new Database(fileOf(dataDir), { timeout: waitMs })
  try {
    db.pragma('journal_mode = DELETE')
    db.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    db.close()
    if ((error as { code?: string }).code?.startsWith('SQLITE_BUSY')) {
      throw new DataDirInUse(`another agent is running on ${dataDir}; stop it first, or give this one a data_dir of its own`)
    }
    throw error
  }
  return { db, inode: inodeOf(dataDir) }
}
