import { readdirSync } from 'node:fs'
import path from 'node:path'
import type { HubConfig } from '../config.ts'
import { requireSecretKey } from '../db/identity.ts'
import type { Sql } from '../db/pools.ts'
import {
  type ArchiverState,
  type ArchiveSettings,
  archiveOwner,
  type BaseBackup,
  isOnTimeline,
  listBaseBackups,
  missingArchiveFault,
  missingSegment,
  readArchiverState,
} from '../db/recovery/index.ts'
import { keyMark } from '../support/secrets/secret-box.ts'
import { loadSecretKeys } from '../support/secrets/secret-key.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

const CHECK = 'WAL_ARCHIVE'
const DAY_MS = 86_400_000
/** A week's rhythm, and a day of grace. */
const MAX_AGE_DAYS = 8
/** 64 MB of complete segments. */
const MAX_WAITING = 4

/** Whether the database can be restored to an instant. Without WAL_ARCHIVE there is nothing to check. */
export async function checkArchive(config: HubConfig, sql: Sql, now = Date.now()): Promise<Finding[]> {
  const archive = config.walArchive
  if (!archive) return []
  try {
    const state = await readArchiverState(sql)
    const isEmbedded = !config.databaseUrl && !config.databaseLogins
    const backups = await listBaseBackups(archive)
    return [
      await checkArchiver(state, archive, isEmbedded),
      await checkBackups(backups, state, archive, now, await databaseKeyMark(config, sql)),
      ...(isEmbedded ? leftovers(config) : []),
    ]
  } catch (error) {
    return [fail(CHECK, `cannot be checked: ${(error as Error).message.split('\n')[0]}`)]
  }
}

export async function checkArchiver(state: ArchiverState, archive: ArchiveSettings, isEmbedded: boolean): Promise<Finding> {
  const { isOn, failing, waiting, timeoutSeconds, lastArchivedAt } = state
  if (!isOn)
    return fail(
      CHECK,
      isEmbedded
        ? 'PostgreSQL runs without archiving: start the hub again with WAL_ARCHIVE'
        : 'archive_mode of the server is off: set it and archive_command there, and restart PostgreSQL (docs/point-in-time-recovery.md)',
    )
  const fault = await missingArchiveFault(archive)
  if (fault) return fail(CHECK, fault)
  const owner = await archiveOwner(archive.folder)
  if (owner !== null && owner !== state.systemId)
    return fail(CHECK, `${archive.folder} belongs to another database cluster (${owner}; this one is ${state.systemId})`)
  if (failing)
    return fail(
      CHECK,
      `PostgreSQL could not archive ${failing.file} (${failing.since.toISOString()}), and keeps all WAL until it can: its disk fills. ` +
        "Its log says why; `df` and the owner of the archive's directory are the usual reasons. One that was mounted later works after a restart of the hub",
    )
  if (waiting > MAX_WAITING)
    return warn(CHECK, `${waiting} segments wait to be archived: the archive is slower than the database`)
  if (timeoutSeconds === 0)
    return warn(
      CHECK,
      'archive_timeout is 0, so a quiet database archives rarely: set it to 60s, which bounds what a lost disk costs',
    )
  const last = lastArchivedAt ? `the last segment was archived at ${lastArchivedAt.toISOString()}` : 'no segment was archived yet'
  return ok(CHECK, `${archive.folder}; ${last}`)
}

/** Of the key that encrypts now; null: `doctor` says elsewhere that there is none. */
const databaseKeyMark = async (config: HubConfig, sql: Sql): Promise<string | null> => {
  try {
    return keyMark((await requireSecretKey(sql, await loadSecretKeys(config))).secretKey)
  } catch {
    return null
  }
}

export async function checkBackups(
  backups: BaseBackup[],
  { systemId, timeline }: Pick<ArchiverState, 'systemId' | 'timeline'>,
  archive: ArchiveSettings,
  now: number,
  mark: string | null,
): Promise<Finding> {
  const check = 'base backups'
  const newest = backups.findLast((backup) => backup.systemId === systemId)
  if (!newest) return warn(check, 'there is none, so nothing can be restored to an instant: `npm run hub -- base-backup`')
  if (!(await isOnTimeline(archive, newest, timeline)))
    return warn(
      check,
      `the newest, ${newest.label}, is of a history that a restore has left (timeline ${newest.timeline}; this one is ${timeline}): make a new ` +
        'one by `npm run hub -- base-backup`',
    )
  const gap = await missingSegment(archive, newest, timeline)
  if (gap)
    return fail(
      check,
      `${gap} is missing in the archive, so nothing later can be restored: make a new one by \`npm run hub -- base-backup\``,
    )
  if (mark !== null && newest.keyMark !== mark)
    return warn(
      check,
      `the newest, ${newest.label}, is of another SECRET_KEY (${newest.keyMark}; this one is ${mark}): make a base backup by ` +
        '`npm run hub -- base-backup`, and keep the former key as long as the older ones',
    )
  const days = (now - new Date(newest.endedAt).getTime()) / DAY_MS
  const text = `${backups.length}; the newest is of ${newest.endedAt}`
  return days > MAX_AGE_DAYS ? warn(check, `${text}: restores read all WAL since then; make one every week`) : ok(check, text)
}

/** Directories beside the database that a restore has left. */
function leftovers({ dataDir }: HubConfig): Finding[] {
  const names = readdirSync(dataDir)
  const kept = names.filter((name) => name.startsWith('postgres.before-restore-'))
  const found: Finding[] = []
  if (names.includes('postgres.recovering'))
    found.push(
      warn('restore', `${path.join(dataDir, 'postgres.recovering')} is of an interrupted restore: the next one removes it`),
    )
  if (kept.length > 0) found.push(ok('restore', `kept in ${dataDir}: ${kept.join(', ')}; remove what is no longer needed`))
  return found
}
