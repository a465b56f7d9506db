import { mkdir, statfs, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { RecoveryRefused } from './base-backup.ts'
import { filesOf, type RecoveryPlan, type Target } from './plan.ts'
import { writeSparse } from './sparse.ts'
import { unpackBaseBackup, unpackedBytes } from './unpack.ts'
import { doneMark } from './wal-marks.ts'
import type { WalSource } from './wal-source.ts'

/**
 * Fills an empty folder with a data directory that PostgreSQL recovers to the target when it starts with `recoverySettings`: the
 * base backup and, in `pg_wal`, every segment that it needs.
 * @param freeBytes default: of the disk @throws RecoveryRefused when the base backup is damaged, or the disk has no room
 */
export async function fillDataDirectory(
  plan: RecoveryPlan,
  source: WalSource,
  folder: string,
  progress: (text: string) => void,
  freeBytes?: number,
): Promise<void> {
  const wal = path.join(folder, 'pg_wal')
  assertRoom(folder, (await unpackedBytes(plan.backup)) + plan.walBytes, freeBytes ?? (await freeBytesAt(folder)))
  await unpackBaseBackup(plan.backup, folder, (bytes) => progress(`base backup: ${Math.round(bytes / 1_048_576)} MiB`))
  await mkdir(path.join(wal, 'archive_status'), { recursive: true, mode: 0o700 })
  const { histories, segments } = await filesOf(plan, source)
  for (const name of histories) await place(await source.read(name), path.join(wal, name))
  for (const names of segments) {
    progress(names[0] as string)
    const placed = await placeFirst(source, names, wal)
    if (!placed) throw new RecoveryRefused(`${source.name} no longer has ${names[0]}.`)
    if (!source.unarchived?.has(placed)) await writeFile(doneMark(wal, placed), '', { mode: 0o600 })
  }
  await writeFile(path.join(folder, 'recovery.signal'), '', { mode: 0o600, flush: true })
}

async function place(bytes: Buffer | null, file: string): Promise<boolean> {
  if (bytes) await writeSparse(file, bytes)
  return bytes !== null
}

async function placeFirst(source: WalSource, names: string[], wal: string): Promise<string | null> {
  for (const name of names) if (await place(await source.read(name), path.join(wal, name))) return name
  return null
}

/** What PostgreSQL writes before it recycles WAL, at least. */
const RESERVE_BYTES = 256 * 1_048_576
const freeBytesAt = async (folder: string): Promise<number> => {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}
const gib = (bytes: number) => `${(bytes / 1_073_741_824).toFixed(1)} GiB`

function assertRoom(folder: string, bytes: number, free: number): void {
  if (free >= bytes + RESERVE_BYTES) return
  throw new RecoveryRefused(
    `The disk of ${path.dirname(folder)} has ${gib(free)} free, and the restore needs ${gib(bytes + RESERVE_BYTES)}. Nothing was restored. ` +
      'Free some space; a newer base backup (`--base`) needs less WAL.',
  )
}

/**
 * PostgreSQL's settings for the recovery. All WAL is in place already, so the command finds nothing; PostgreSQL requires one.
 * Source: PostgreSQL, 19.5.6 (recovery target)
 */
export const recoverySettings = (plan: RecoveryPlan, at: Target): Record<string, string> => ({
  restore_command: 'exit 1',
  recovery_target_timeline: String(plan.timeline),
  recovery_target_action: 'promote',
  // empty: none, whatever an earlier recovery has left in the server's configuration
  recovery_target_time: at === 'latest' ? '' : at.toISOString().replace('T', ' ').replace('Z', '+00'),
})
