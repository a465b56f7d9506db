import { existsSync, readdirSync } from 'node:fs'
import { mkdir, readFile, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { Secret } from '@haltless/edge-agent/secret'
import { type HubConfig, loadConfig } from '../config.ts'
import { finishRecovery, type Reconciled } from '../db/backup/index.ts'
import { dbError } from '../db/errors.ts'
import { prepareDatabase } from '../db/migrate.ts'
import { asOwner } from '../db/owner.ts'
import type { Sql } from '../db/pools.ts'
import {
  type ArchiveSettings,
  type BaseBackup,
  fillDataDirectory,
  firstOf,
  folderSource,
  KEY_FILE,
  planRecovery,
  type RecoveryPlan,
  RecoveryRefused,
  recoverySettings,
  replaceCluster,
  sourceOf,
  type Target,
  walFolder,
  writeDurably,
} from '../db/recovery/index.ts'
import { openStore } from '../features/work/attachments/index.ts'
import { makeDataDir } from '../support/data-dir.ts'
import { keyMark, type SecretKeys } from '../support/secrets/secret-box.ts'
import { generatedSecretKeys, keepSecretKey, loadSecretKeys, writeSecretKeys } from '../support/secrets/secret-key.ts'
import { neededKeys } from './backup.ts'
import { archiveOf, forTerminal } from './base-backup.ts'
import { describeReconciled } from './reconciled.ts'
import { progressLine, UsageError } from './terminal.ts'

export interface RestoreAtOptions {
  at: string
  /** another archive than WAL_ARCHIVE */
  from?: string
  base?: string
  timeline?: number
  /** prepares a data directory for a server that others run */
  to?: string
  json?: boolean
}

/** Restores to an instant: the embedded PostgreSQL whole, or a data directory for a server that others run. */
export async function restoreAt(options: RestoreAtOptions): Promise<void> {
  const config = loadConfig(process.env)
  const archive = options.from ? otherArchive(config, path.resolve(options.from)) : archiveOf(config)
  const isExternal = config.databaseUrl !== undefined || config.databaseLogins !== undefined
  if (isExternal && !options.to)
    throw new UsageError('PostgreSQL is not run by this hub: --to DIR names the directory that is prepared for it.')
  if (!isExternal && options.to)
    throw new UsageError('--to is for a PostgreSQL that others run: without DATABASE_URL the hub restores its own, in DATA_DIR.')
  const at = instantOf(options.at)
  await (options.to
    ? prepareDirectory(config, archive, at, options, options.to)
    : restoreEmbedded(config, archive, at, options)
  ).catch(forTerminal)
}

/** Only where the directory has no WAL, the commands of the settings fetch it. */
function otherArchive({ walArchive }: HubConfig, folder: string): ArchiveSettings {
  const plain = { folder, archiveCommand: undefined, restoreCommand: undefined }
  return existsSync(walFolder(plain)) ? plain : { ...plain, restoreCommand: walArchive?.restoreCommand }
}

function instantOf(text: string): Target {
  if (text === 'latest') return text
  const at = new Date(text)
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/.test(text) || Number.isNaN(at.getTime()))
    throw new UsageError(`${text} is not an instant with a time zone, such as 2026-11-28T14:30:00Z or 2026-11-28T15:30:00+01:00.`)
  return at
}

async function restoreEmbedded(
  config: HubConfig,
  archive: ArchiveSettings,
  at: Target,
  options: RestoreAtOptions,
): Promise<void> {
  await makeDataDir(config.dataDir)
  const line = progressLine()
  const store = await openStore(config.attachments.store)
  let plan: RecoveryPlan | undefined
  let keys: SecretKeys | undefined
  let needed: SecretKeys | undefined
  let files: Reconciled | undefined
  try {
    const { dataDir, kept } = await replaceCluster({
      dataDir: path.join(config.dataDir, 'postgres'),
      log: (text) => line.show(text),
      async fill(folder, present) {
        // what the present cluster has written and not archived, as after a kill
        const archived = sourceOf(archive)
        const source = present ? firstOf(archived, folderSource(path.join(present.dataDir, 'pg_wal'))) : archived
        plan = await planFor(options, { archive, source, at, present, show: line.show })
        keys = await keysFor(config, plan.backup)
        await fillDataDirectory(plan, source, folder, line.show)
        return recoverySettings(plan, at)
      },
      async finish(url) {
        if (!keys) return
        const held = keys
        files = await finishRecovery(url, held, store, { isTrial: options.from !== undefined })
        needed = (await asOwner(url, 'restore', (owner) => neededKeys(owner, held))).needed
        if (!config.databaseLogins) await prepareDatabase(url, held)
      },
    })
    if (needed && config.secretKey === undefined) await writeSecretKeys(config.dataDir, needed)
    line.end()
    report(options, plan as RecoveryPlan, at, { data_dir: dataDir, kept_before: kept, files })
  } finally {
    line.end()
    store.close()
  }
}

const planFor = (
  { base, timeline }: RestoreAtOptions,
  {
    show,
    ...given
  }: Pick<Parameters<typeof planRecovery>[0], 'archive' | 'source' | 'at' | 'present'> & { show: (text: string) => void },
) =>
  planRecovery({
    ...given,
    now: new Date(),
    progress: (name) => show(`verifying ${name}`),
    ...(base !== undefined && { base }),
    ...(timeline !== undefined && { timeline }),
  })

/**
 * The keys of the settings, or the hub's generated ones and that of the base backup: the key may have changed between the base backup and the
 * instant. @throws RecoveryRefused where none is that of the base backup
 */
async function keysFor(config: HubConfig, backup: BaseBackup): Promise<SecretKeys> {
  const saved = await readFile(path.join(backup.folder, KEY_FILE), 'utf8').catch(() => null)
  const held = config.secretKey
    ? [config.secretKey, config.secretKeyNext]
    : [saved ? new Secret(saved.trim()) : undefined, ...(await generatedSecretKeys(config.dataDir))]
  const keys = held.flatMap((key) => key ?? [])
  // a start that completes this restore finds it there
  if (saved && !config.secretKey) await keepSecretKey(config.dataDir, new Secret(saved.trim()))
  const own = keys.find((key) => keyMark(key) === backup.keyMark)
  if (own) return [own, ...keys.filter((key) => key !== own)]
  throw new RecoveryRefused(
    `The secrets of the base backup ${backup.label} were encrypted under another SECRET_KEY: set SECRET_KEY to ${backup.keyMark}. If it was ` +
      'changed between the base backup and the instant, set SECRET_KEY_NEXT to the later one.',
  )
}

async function prepareDirectory(
  config: HubConfig,
  archive: ArchiveSettings,
  at: Target,
  options: RestoreAtOptions,
  to: string,
): Promise<void> {
  const folder = path.resolve(to)
  if (existsSync(folder) && readdirSync(folder).length > 0) throw new UsageError(`${folder} is not empty.`)
  const line = progressLine()
  const source = sourceOf(archive)
  const draft = `${folder}.preparing`
  try {
    const plan = await planFor(options, { archive, source, at, present: null, show: line.show })
    await keysFor(config, plan.backup)
    await rm(draft, { recursive: true, force: true })
    await mkdir(draft, { recursive: true, mode: 0o700 })
    await fillDataDirectory(plan, source, draft, line.show)
    const automatic = path.join(draft, 'postgresql.auto.conf')
    const settings = Object.entries(recoverySettings(plan, at)).map(([name, value]) => `${name} = '${value}'\n`)
    await writeDurably(automatic, (await readFile(automatic, 'utf8').catch(() => '')) + settings.join(''))
    await rm(folder, { recursive: true, force: true })
    await rename(draft, folder)
    line.end()
    report(options, plan, at, { data_dir: folder, kept_before: null, files: undefined })
    if (!options.json) console.log(STEPS.replace('FOLDER', folder))
  } finally {
    line.end()
    await rm(draft, { recursive: true, force: true })
  }
}

const STEPS = `
Now, on the machine of PostgreSQL 18, as its administrator:
  1. Stop every hub of this database, then PostgreSQL.
  2. Move the data directory of the server aside; do not remove it before step 6.
  3. Move FOLDER into its place, and give it to PostgreSQL's user:
       chown -R postgres:postgres /path/of/the/data/directory
  4. Start PostgreSQL. It recovers, and then accepts changes: \`select pg_is_in_recovery()\` answers f.
  5. With the settings of the hub: npm run hub -- finish-restore
  6. npm run hub -- doctor; then start the hubs.`

function report(
  { json, from }: RestoreAtOptions,
  { backup, timeline, lastTransactionAt }: RecoveryPlan,
  at: Target,
  outcome: { data_dir: string; kept_before: string | null; files: Reconciled | undefined },
): void {
  const lastTransaction = lastTransactionAt?.toISOString() ?? null
  const target = at === 'latest' ? at : at.toISOString()
  if (json) {
    const facts = { at: target, base_backup: backup.label, timeline, last_transaction_at: lastTransaction, ...outcome }
    console.log(JSON.stringify(facts, null, 2))
    return
  }
  console.log(
    `${outcome.data_dir}: as of ${target}, from the base backup ${backup.label}; ` +
      `the last transaction is of ${lastTransaction ?? 'before the base backup'}.`,
  )
  if (outcome.kept_before)
    console.log(`The database before the restore is kept at ${outcome.kept_before}: remove it when all is well.`)
  if (outcome.files) {
    describeReconciled(outcome.files)
    if (from && outcome.files.orphans.length > 0)
      console.log('They stay, because another hub may use them: `doctor attachments` names them.')
    if (from)
      console.log(
        'For a trial, beware before `serve`: a hub sends mails, alerts and reports of the restored database. Give it its own ATTACHMENT_STORE, and ' +
          'no SMTP_URL or MQTT_URL of the other one.',
      )
    console.log('Automatic runs of ERP connections are paused: `npm run hub -- erp resume`. Start the hub: npm run hub -- serve')
    console.log('Then make a base backup of the new timeline: npm run hub -- base-backup')
  }
}

const RESET = ['restore_command', 'recovery_target_time', 'recovery_target_timeline', 'recovery_target_action'].map(
  (name) => `alter system reset ${name}`,
)

/** The settings of the recovery have no effect any more, but a later recovery would find them. */
async function resetSettings(owner: Sql): Promise<void> {
  try {
    for (const statement of RESET) await owner.unsafe(statement)
  } catch (error) {
    if (dbError(error)?.code !== '42501') throw error
    console.log(`Settings of the recovery are left. As an administrator of the server: ${RESET.join('; ')}`)
  }
}

/** The last step of a restore of a PostgreSQL that others run. */
export async function finishRestore(): Promise<void> {
  const config = loadConfig(process.env)
  if (!config.databaseUrl || !config.secretKey) throw new UsageError('This is for a PostgreSQL that DATABASE_URL names.')
  const url = config.databaseUrl.reveal()
  const keys = await loadSecretKeys(config)
  const store = await openStore(config.attachments.store)
  try {
    await asOwner(url, 'restore', async (owner) => {
      const [state] = await owner<[{ recovering: boolean }]>`select pg_is_in_recovery() as recovering`
      if (state.recovering) throw new UsageError('PostgreSQL is still recovering: wait until it accepts changes.')
      const [hub] = await owner`select from hub_replicas where seen_at > now() - interval '10 seconds' limit 1`
      if (hub) throw new UsageError('A hub is connected to the database: stop it first (if it was killed, wait 10 seconds).')
      await resetSettings(owner)
    })
    describeReconciled(await finishRecovery(url, keys, store))
    await prepareDatabase(url, keys)
    console.log(
      'Automatic runs of ERP connections are paused: `npm run hub -- erp resume`. Start the hubs, then make a base backup.',
    )
  } finally {
    store.close()
  }
}
