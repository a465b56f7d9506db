import { existsSync, statSync } from 'node:fs'
import path from 'node:path'
import { Secret } from '@haltless/edge-agent/secret'
import packageJson from '../../package.json' with { type: 'json' }
import { type HubConfig, loadConfig } from '../config.ts'
import {
  type BackedFiles,
  type BackupHeader,
  type BackupStore,
  InvalidBackup,
  openBackup,
  RestoreRefused,
  restoreBackup,
  writeBackup,
} from '../db/backup/index.ts'
import { readDatabaseKey, requireSecretKey } from '../db/identity.ts'
import { prepareDatabase, prepareTables } from '../db/migrate.ts'
import { asOwner } from '../db/owner.ts'
import type { Sql } from '../db/pools.ts'
import { openStore } from '../features/work/attachments/index.ts'
import { makeDataDir } from '../support/data-dir.ts'
import { fingerprintOf } from '../support/secrets/derive.ts'
import { keyMark, type SecretKeys } from '../support/secrets/secret-box.ts'
import { loadSecretKeys, writeSecretKeys } from '../support/secrets/secret-key.ts'
import { ownSecretKeyFile, withOwner, withOwnKey } from './open-hub.ts'
import { formatBytes, progressLine, UsageError } from './terminal.ts'

export async function backUp(file: string, { json, force }: { json?: boolean; force?: boolean }): Promise<void> {
  if (existsSync(file) && !force) throw new UsageError(`${file} exists already; use --force to overwrite it.`)
  if (!existsSync(path.dirname(path.resolve(file))))
    throw new UsageError(`There is no folder ${path.dirname(path.resolve(file))}.`)
  const config = loadConfig(process.env)
  await withOwnKey(config, async (url) => {
    const keys = await loadSecretKeys(config)
    await prepareTables(url, keys)
    const { needed, marks } = await asOwner(url, 'backup', (owner) => neededKeys(owner, keys))
    const isOwn = ownSecretKeyFile(config) !== null
    const secretKey = isOwn ? needed[0].reveal() : null
    const line = progressLine()
    const about = {
      hubVersion: packageJson.version,
      keyMark: keyMark(needed[0]),
      secretKey,
      ...(needed[1] ? { nextKeyMark: keyMark(needed[1]) } : {}),
      ...(needed[1] && isOwn ? { nextSecretKey: needed[1].reveal() } : {}),
    }
    const store = await openStore(config.attachments.store)
    const result = await writeBackup(url, file, about, store, (table, rows) => line.show(`${table}: ${rows} rows`))
    line.end()
    if (result.files.faulty.length > 0) process.exitCode = 1
    const rows = Object.values(result.rows).reduce((sum, n) => sum + n, 0)
    if (json)
      return console.log(JSON.stringify({ ...result, total_rows: rows, holds_secret_key: isOwn, key_marks: marks }, null, 2))
    console.log(`${result.file}: ${rows} rows of ${Object.keys(result.rows).length} tables, ${formatBytes(result.bytes)}`)
    console.log(describeFiles(result.files, store))
    console.log(
      isOwn
        ? "It contains the hub's secret key, so anyone with this file can decrypt all secrets. Protect it like a password."
        : `Only the SECRET_KEY of this hub (${marks.join(' and ')}) can decrypt its secrets: store that key separately.`,
    )
  })
}

export async function restore(file: string, { json }: { json?: boolean }): Promise<void> {
  const config = loadConfig(process.env)
  const line = progressLine()
  const total = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  const verified = (bytes: number) => line.show(`checksum: ${formatBytes(bytes)} of ${formatBytes(total)} read`)
  const backup = await openBackup(file, verified).catch((error) => {
    line.end()
    forTerminal(error)
  })
  try {
    const given = keysFor(backup.header, config)
    await withOwner(config, async (url) => {
      const store = await openStore(config.attachments.store)
      await makeDataDir(config.dataDir)
      const target = { store, folder: config.dataDir }
      const { rows, files } = await restoreBackup(url, backup, target, ({ step, steps, name, bytes }) =>
        line.show(`${step} of ${steps}: ${name}, ${formatBytes(bytes)} read`),
      )
      if (files.faulty.length > 0) process.exitCode = 1
      if (config.secretKey === undefined) await writeSecretKeys(config.dataDir, given)
      // Passwords depend on the cluster, so this creates its logins, or prints what its administrator must run.
      if (!config.databaseLogins) await prepareDatabase(url, given)
      line.end()
      const totalRows = Object.values(rows).reduce((sum, n) => sum + n, 0)
      if (json)
        console.log(
          JSON.stringify(
            { file: path.resolve(file), created_at: backup.header.createdAt, rows, total_rows: totalRows, files },
            null,
            2,
          ),
        )
      else {
        console.log(
          `${totalRows} rows of ${Object.keys(rows).length} tables, as they were on ${backup.header.createdAt}. Start the hub: npm run hub -- serve`,
        )
        console.log(describeFiles(files, store))
      }
    })
  } catch (error) {
    line.end()
    forTerminal(error)
  } finally {
    backup.close()
  }
}

const MAX_NAMED = 10

function describeFiles({ count, bytes, faulty }: BackedFiles, { name, isIncluded }: BackupStore): string {
  const place = isIncluded ? name : `${name}, which a backup does not contain: back it up too`
  const all = `${count} files of attachments, ${formatBytes(bytes)}, in ${place}`
  if (faulty.length === 0) return `${all}. All are there.`
  const more = faulty.length > MAX_NAMED ? ` and ${faulty.length - MAX_NAMED} more` : ''
  return `${all}. ${faulty.length} of them are missing or damaged: ${faulty.slice(0, MAX_NAMED).join(', ')}${more}`
}

function forTerminal(error: unknown): never {
  throw error instanceof InvalidBackup || error instanceof RestoreRefused ? new UsageError(error.message) : error
}

/** The keys that a backup needs now: that of the database and, during a rotation, the next one. */
export async function neededKeys(owner: Sql, keys: SecretKeys): Promise<{ needed: SecretKeys; marks: string[] }> {
  const { secretKey } = await requireSecretKey(owner, keys)
  const stored = await readDatabaseKey(owner)
  const next = keys.filter((key) => fingerprintOf(key) === stored?.nextFingerprint)
  const needed: SecretKeys = [secretKey, ...next]
  return { needed, marks: needed.map(keyMark) }
}

/** The keys that decrypt a backup: those of the settings, or those that it contains. @throws UsageError that says which it needs */
function keysFor({ keyMark: mark, nextKeyMark, secretKey, nextSecretKey }: BackupHeader, config: HubConfig): SecretKeys {
  const given = [config.secretKey, config.secretKeyNext].flatMap((key) => key ?? [])
  const own = [secretKey, nextSecretKey].flatMap((text) => (text ? new Secret(text) : []))
  const held = config.secretKey ? given : own
  const find = (wanted: string) => held.find((key) => keyMark(key) === wanted)
  const [first, next] = [find(mark), nextKeyMark === undefined ? undefined : find(nextKeyMark)]
  if (first && nextKeyMark === undefined) return [first]
  if (first && next) return [first, next]
  const has = held.length > 0 ? `, and this hub has ${held.map(keyMark).join(' and ')}` : ''
  throw new UsageError(
    nextKeyMark === undefined
      ? `The secrets of this backup were encrypted under another SECRET_KEY: set SECRET_KEY to that of the original hub. It needs ${mark}${has}.`
      : `This backup was made while SECRET_KEY was changed and needs both keys: set SECRET_KEY to ${mark} and SECRET_KEY_NEXT to ${nextKeyMark}${has}.`,
  )
}
