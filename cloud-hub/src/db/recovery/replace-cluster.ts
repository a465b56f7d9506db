import { existsSync, readdirSync } from 'node:fs'
import { lchown, mkdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { usableBinaries } from '../embedded/binaries.ts'
import { type Cluster, ensureCluster, resolveClusterPath } from '../embedded/cluster.ts'
import { readControlFile } from '../embedded/control-file.ts'
import { memoryFlags, SMALL_SHARED_BUFFERS_MB } from '../embedded/memory.ts'
import { claimFile, releaseOwnership } from '../embedded/owner.ts'
import { findRunning, startPostmaster, stopPostmaster } from '../embedded/postmaster.ts'
import { lockFile, placeRecovered, recoveredDir, recoveringDir } from '../embedded/replacement.ts'
import { freePort } from '../embedded/supervisor.ts'
import { syncFolder } from './archive.ts'
import { RecoveryRefused } from './base-backup.ts'
import { markUnarchived } from './wal-marks.ts'

/** The cluster that a restore replaces. */
interface PresentCluster {
  dataDir: string
  systemId: string
  timeline: number
}

interface Replacement {
  /** the configured data directory */
  dataDir: string
  sharedHome?: string
  /** fills an empty folder with a data directory and returns the settings with which PostgreSQL recovers it */
  fill(folder: string, present: PresentCluster | null): Promise<Record<string, string>>
  /** works on the recovered database, before it replaces the present one */
  finish(ownerUrl: string): Promise<void>
  log: (line: string) => void
}

/**
 * Recovers a data directory beside the present one, which it then replaces. Whatever fails before leaves the present one as it is.
 * @returns where the data directory is, and where the one before is kept; null: there was none
 * @throws RecoveryRefused while a server or another restore uses the data directory
 */
export async function replaceCluster(options: Replacement): Promise<{ dataDir: string; kept: string | null }> {
  const home = options.sharedHome ?? '/var/lib/haltless'
  const cluster = resolveClusterPath(options.dataDir, home, options.log)
  const { dataDir, user } = cluster
  if (!claimFile(lockFile(dataDir)))
    throw new RecoveryRefused('Another restore of this DATA_DIR is running. Nothing was changed.')
  try {
    await assertStopped(dataDir)
    if (existsSync(recoveredDir(dataDir))) placeRecovered(dataDir)
    const binaries = await usableBinaries(user, user.uid === undefined ? `${dataDir}-programs` : home, options.log)
    const present = readControlFile(dataDir)
    const draft: Cluster = { dataDir: recoveringDir(dataDir), user }
    const left = await findRunning(draft.dataDir)
    if (left) await stopPostmaster(left, draft, binaries)
    await rm(draft.dataDir, { recursive: true, force: true })
    try {
      await mkdir(draft.dataDir, { mode: 0o700 })
      const settings = await options.fill(draft.dataDir, present && { dataDir, ...present })
      releaseOwnership(draft.dataDir)
      await chownAll(draft)
      const password = await ensureCluster(draft, binaries)
      const flags = [
        ...memoryFlags(SMALL_SHARED_BUFFERS_MB),
        ...Object.entries({ ...settings, ...WITHOUT_ARCHIVING }).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
      ]
      const port = await freePort()
      const server = await startPostmaster(draft, binaries, { port, withSocket: false, flags, log: options.log })
      try {
        await options.finish(`postgres://postgres:${password}@127.0.0.1:${port}/postgres`)
      } finally {
        await stopPostmaster(server, draft, binaries)
        server.stopWatchdog?.()
      }
      await markUnarchived(draft)
      await assertStopped(dataDir)
      await rename(draft.dataDir, recoveredDir(dataDir))
      await syncFolder(path.dirname(dataDir))
    } catch (error) {
      await rm(draft.dataDir, { recursive: true, force: true })
      throw error
    }
    const kept = placeRecovered(dataDir)
    await syncFolder(path.dirname(dataDir))
    return { dataDir, kept }
  } finally {
    await rm(lockFile(dataDir), { force: true })
  }
}

/** What is not archived must not be recycled either. */
const WITHOUT_ARCHIVING = { hot_standby: 'off', archive_mode: 'off', wal_keep_size: '1000TB' }

async function assertStopped(dataDir: string): Promise<void> {
  if (!(await findRunning(dataDir))) return
  throw new RecoveryRefused('A hub, or a command of it, is running on this DATA_DIR: stop it first. Nothing was changed.')
}

/** PostgreSQL's user owns every file of its cluster. */
async function chownAll({ dataDir, user }: Cluster): Promise<void> {
  const { uid, gid } = user
  if (uid === undefined || gid === undefined) return
  await lchown(dataDir, uid, gid)
  for (const name of readdirSync(dataDir, { recursive: true }) as string[]) await lchown(path.join(dataDir, name), uid, gid)
}
