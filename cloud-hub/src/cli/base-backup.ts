import packageJson from '../../package.json' with { type: 'json' }
import { type HubConfig, loadConfig } from '../config.ts'
import { RestoreRefused } from '../db/backup/index.ts'
import { SecretKeyMismatch } from '../db/identity.ts'
import { prepareTables } from '../db/migrate.ts'
import { asOwner } from '../db/owner.ts'
import {
  type ArchiveSettings,
  ForeignArchive,
  listBaseBackups,
  makeBaseBackup,
  RecoveryRefused,
  removeOldBackups,
} from '../db/recovery/index.ts'
import { keyMark } from '../support/secrets/secret-box.ts'
import { loadSecretKeys } from '../support/secrets/secret-key.ts'
import { neededKeys } from './backup.ts'
import { ownSecretKeyFile, withOwnKey } from './open-hub.ts'
import { formatBytes, progressLine, table, UsageError } from './terminal.ts'

/** @throws UsageError when WAL_ARCHIVE is not set */
export function archiveOf(config: HubConfig): ArchiveSettings {
  if (config.walArchive) return config.walArchive
  throw new UsageError('WAL_ARCHIVE is not set: without an archive of the WAL there is no recovery to an instant.')
}

/** Refusals are sentences for the terminal. */
export const forTerminal = (error: unknown): never => {
  const refusals = [RecoveryRefused, RestoreRefused, ForeignArchive, SecretKeyMismatch]
  throw refusals.some((refusal) => error instanceof refusal) ? new UsageError((error as Error).message) : error
}

export async function baseBackup({ to, keep, json }: { to?: string; keep?: number; json?: boolean }): Promise<void> {
  const config = loadConfig(process.env)
  const archive = archiveOf(config)
  await withOwnKey(config, async (url) => {
    const keys = await loadSecretKeys(config)
    await prepareTables(url, keys)
    const { needed } = await asOwner(url, 'base backup', (owner) => neededKeys(owner, keys))
    if (needed.length > 1)
      throw new UsageError(
        'SECRET_KEY is being changed: complete that by `npm run hub -- keys rotate-secret`, then make the base backup.',
      )
    const line = progressLine()
    const made = await makeBaseBackup(url, archive, {
      to,
      hubVersion: packageJson.version,
      keyMark: keyMark(needed[0]),
      secretKey: ownSecretKeyFile(config) ? needed[0].reveal() : null,
      progress: (bytes) => line.show(`${formatBytes(bytes)} copied`),
    }).finally(() => line.end())
    const removed = keep === undefined ? { backups: [], segments: 0 } : await removeOldBackups(archive, keep)
    if (json) return console.log(JSON.stringify({ ...made, removed }, null, 2))
    console.log(`${made.folder}: ${formatBytes(made.bytes)}. Every instant from ${made.endedAt} on can be restored.`)
    if (made.hasSecretKey)
      console.log("It contains the hub's secret key, so anyone with it can decrypt all secrets. Protect it like a password.")
    else
      console.log(`Only the SECRET_KEY of this hub (${keyMark(needed[0])}) can decrypt its secrets: store that key separately.`)
    if (removed.backups.length > 0)
      console.log(
        `Removed: ${removed.backups.join(', ')}, and ${removed.segments} files of the archive that no base backup needs.`,
      )
  }).catch(forTerminal)
}

export async function printBaseBackups({ json }: { json?: boolean }): Promise<void> {
  const backups = await listBaseBackups(archiveOf(loadConfig(process.env)))
  if (json) return console.log(JSON.stringify(backups, null, 2))
  const rows = backups.map(({ label, endedAt, timeline, bytes, keyMark, hubVersion, folder }) => ({
    label,
    restores_from: endedAt,
    timeline,
    size: formatBytes(bytes),
    secret_key: keyMark,
    hub_version: hubVersion,
    folder,
  }))
  console.log(table(rows, 'There are no base backups.'))
}
