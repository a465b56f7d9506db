import { existsSync, statSync } from 'node:fs'
import { readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { Secret } from '@haltless/edge-agent/secret'
import packageJson from '../../package.json' with { type: 'json' }
import { loadConfig } from '../config.ts'
import {
  type BackedFiles,
  type BackupStore,
  InvalidBackup,
  openBackup,
  RestoreRefused,
  restoreBackup,
  writeBackup,
} from '../db/backup/index.ts'
import { prepareDatabase, prepareTables } from '../db/migrate.ts'
import { openStore } from '../features/work/attachments/index.ts'
import { makeDataDir } from '../support/data-dir.ts'
import { createSecretBox } from '../support/secrets/secret-box.ts'
import { ownSecretKeyFile, secretKeyOf, withOwner } from './open-hub.ts'
import { formatBytes, progressLine, UsageError } from './terminal.ts'

export async function backUp(file: string, { json, force }: { json?: boolean; force?: boolean }): Promise<void> {
  if (existsSync(file) && !force) throw new UsageError(`${file} exists already; use --force to overwrite it.`)
  if (!existsSync(path.dirname(path.resolve(file))))
    throw new UsageError(`There is no folder ${path.dirname(path.resolve(file))}.`)
  const config = loadConfig(process.env)
  await withOwner(config, async (url) => {
    const ownKey = await secretKeyOf(config)
    await prepareTables(url, ownKey)
    const keyFile = ownSecretKeyFile(config)
    const secretKey = keyFile ? (await readFile(keyFile, 'utf8')).trim() : null
    const line = progressLine()
    const about = { hubVersion: packageJson.version, keyMark: createSecretBox(ownKey).mark, secretKey }
    const store = await openStore(config.attachments.store)
    const result = await writeBackup(url, file, about, store, (table, rows) => line.show(`${table}: ${rows} rows`))
    line.end()
    if (result.files.faulty.length > 0) process.exitCode = 1
    const rows = Object.values(result.rows).reduce((sum, n) => sum + n, 0)
    if (json) return console.log(JSON.stringify({ ...result, total_rows: rows, holds_secret_key: secretKey !== null }, null, 2))
    console.log(`${result.file}: ${rows} rows of ${Object.keys(result.rows).length} tables, ${formatBytes(result.bytes)}`)
    console.log(describeFiles(result.files, store))
    console.log(
      secretKey
        ? "It contains the hub's secret key, so anyone with this file can decrypt all secrets. Protect it like a password."
        : 'Only the SECRET_KEY of this hub can decrypt its secrets: store that key separately.',
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
    const { keyMark, secretKey } = backup.header
    const key = secretKey === null ? config.secretKey : new Secret(secretKey)
    const given = config.secretKey ?? key
    if (!given || createSecretBox(given).mark !== keyMark)
      throw new UsageError(
        'The secrets of this backup were encrypted under another SECRET_KEY: set SECRET_KEY to that of the original hub.',
      )
    await withOwner(config, async (url) => {
      const store = await openStore(config.attachments.store)
      await makeDataDir(config.dataDir)
      const target = { store, folder: config.dataDir }
      const { rows, files } = await restoreBackup(url, backup, target, ({ step, steps, name, bytes }) =>
        line.show(`${step} of ${steps}: ${name}, ${formatBytes(bytes)} read`),
      )
      if (files.faulty.length > 0) process.exitCode = 1
      if (config.secretKey === undefined) await placeSecretKey(config.dataDir, given.reveal())
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

/** Installs the key of the backup. The hub is empty, so its own key has encrypted nothing yet. */
async function placeSecretKey(dataDir: string, key: string): Promise<void> {
  const file = path.join(dataDir, 'secret-key')
  await makeDataDir(dataDir)
  if (existsSync(file)) {
    if ((await readFile(file, 'utf8')).trim() === key) return
    await rename(file, `${file}.before-restore`)
  }
  await writeFile(file, `${key}\n`, { mode: 0o600, flag: 'wx', flush: true })
}
