import { createReadStream } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { createZstdDecompress } from 'node:zlib'
import { fault } from '@haltless/protocol'
import { migrateTables } from '../migrate.ts'
import { appliedMigrations, functionText, knownMigrations } from '../migrations.ts'
import { asOwner } from '../owner.ts'
import type { Sql, TransactionSql } from '../pools.ts'
import { type BackedFiles, type BackupStore, restoreFiles, verifyFiles } from './files.ts'
import { type BackupHeader, DamagedBackup, FrameReader, InvalidBackup, MAGIC, OLD_MAGIC } from './format.ts'
import { LEFT_OUT, quoteIdentifier, tablesInOrder } from './tables.ts'

/** What a restore is doing: the tables are its steps, and the files of attachments are the last one. */
export interface RestoreProgress {
  step: number
  steps: number
  name: string
  /** bytes of rows and files that were read so far */
  bytes: number
}

/** The restore cannot proceed; the message is for a terminal. */
export class RestoreRefused extends Error {}

/**
 * Opens a backup and reads its header, after it has read the whole file and compared it with its checksum. A damaged backup would
 * otherwise fail anywhere: a flipped bit of the header looks like another SECRET_KEY, one of a row like an error of the database.
 * @throws RestoreRefused, InvalidBackup
 */
export async function openBackup(
  file: string,
  progress: (bytes: number) => void = () => {},
): Promise<{ header: BackupHeader; reader: FrameReader; close(): void }> {
  try {
    await verifyChecksum(file, progress)
    const { reader, close } = await openFrames(file)
    return { header: JSON.parse((await reader.frame()).toString()) as BackupHeader, reader, close }
  } catch (error) {
    throw broken(error, file)
  }
}

async function verifyChecksum(file: string, progress: (bytes: number) => void): Promise<void> {
  const { reader, close } = await openFrames(file, progress)
  try {
    const { footer, sha256 } = await reader.rest()
    if (checksumOf(footer) !== sha256) throw new DamagedBackup('its content does not match its checksum')
  } finally {
    close()
  }
}

function checksumOf(footer: Buffer): string {
  const noChecksum = () => new DamagedBackup('it has no checksum at its end')
  let found: { sha256?: unknown; rows?: unknown } | null
  try {
    found = JSON.parse(footer.toString())
  } catch {
    throw noChecksum()
  }
  if (typeof found?.sha256 !== 'string' || typeof found.rows !== 'object' || found.rows === null) throw noChecksum()
  return found.sha256
}

/** Opens a file and reads its first line. */
async function openFrames(
  file: string,
  progress: (bytes: number) => void = () => {},
): Promise<{ reader: FrameReader; close(): void }> {
  const raw = createReadStream(file)
  const plain = createZstdDecompress()
  raw.on('error', (error) => plain.destroy(error))
  raw.on('data', () => progress(raw.bytesRead))
  raw.pipe(plain)
  const reader = new FrameReader(plain as Readable)
  const close = () => {
    raw.destroy()
    plain.destroy()
  }
  try {
    const magic = (await reader.bytes(MAGIC.length)).toString()
    if (magic === OLD_MAGIC)
      throw new InvalidBackup(
        'This backup cannot be used: a hub from before the present schema wrote it; only that version of the hub can restore it.',
      )
    if (magic !== MAGIC) throw new DamagedBackup('its first line is missing, or it is not a backup of a hub')
    return { reader, close }
  } catch (error) {
    close()
    throw error
  }
}

function broken(error: unknown, file: string): unknown {
  const code = (error as { code?: string }).code ?? ''
  if (code === 'ENOENT') return new RestoreRefused(`There is no file ${file}.`)
  if (code === 'EACCES' || code === 'EISDIR') return new RestoreRefused(`${file} cannot be read (${code}).`)
  if (code.startsWith('ZSTD') || code === 'Z_DATA_ERROR' || code === 'Z_BUF_ERROR')
    return new DamagedBackup('it cannot be decompressed, or it is not a backup of a hub')
  return error
}

/**
 * Restores a backup into the database of a hub without tenants, and the files that it contains. It runs in one transaction, so a
 * damaged backup changes nothing. Afterwards it applies the later migrations and verifies the files of attachments.
 * @param target the store, and a folder for files that are not complete
 * @throws RestoreRefused, InvalidBackup
 */
export async function restoreBackup(
  url: string,
  backup: { header: BackupHeader; reader: FrameReader },
  target: { store: BackupStore; folder: string },
  progress: (done: RestoreProgress) => void,
): Promise<{ rows: Record<string, number>; files: BackedFiles }> {
  const { header, reader } = backup
  if (header.migrations > knownMigrations().length)
    throw new RestoreRefused(`The backup comes from a newer hub (${header.hubVersion}): update this one first.`)
  const added: string[] = []
  try {
    return await asOwner(url, 'restore', async (owner) => {
      await assertEmpty(owner, header)
      await migrateTables(url, header.migrations)
      const rows = (await owner.begin((tx) => fill(tx, header, reader, { ...target, added }, progress))) as Record<string, number>
      // The rows are committed: from here on they need their files.
      added.length = 0
      await migrateTables(url)
      await explainEndedRuns(owner)
      return { rows, files: await verifyFiles(owner, target.store) }
    })
  } catch (error) {
    for (const key of added) await target.store.remove(key).catch(() => {})
    throw broken(error, 'the backup')
  }
}

async function assertEmpty(owner: Sql, header: BackupHeader): Promise<void> {
  const [there] = await owner<{ tenants: boolean; replicas: boolean }[]>`
    select to_regclass('public.tenants') is not null as tenants, to_regclass('public.hub_replicas') is not null as replicas`
  if (there?.tenants) {
    const [tenant] = await owner`select 1 from tenants limit 1`
    if (tenant) throw new RestoreRefused('This hub is not empty. Restore into a new DATA_DIR or an empty database.')
  }
  if (there?.replicas) {
    const [alive] = await owner`select 1 from hub_replicas where seen_at > now() - interval '10 seconds'`
    if (alive) throw new RestoreRefused('A hub is running on this database: stop it first (if it was killed, wait 10 seconds).')
  }
  if ((await appliedMigrations(owner)).length > header.migrations)
    throw new RestoreRefused(
      'This database has tables of a newer hub than the backup. Restore into a new DATA_DIR or an empty database; it is migrated afterwards.',
    )
}

async function fill(
  tx: TransactionSql,
  header: BackupHeader,
  reader: FrameReader,
  { store, folder, added }: { store: BackupStore; folder: string; added: string[] },
  progress: (done: RestoreProgress) => void,
): Promise<Record<string, number>> {
  const tables = await tablesInOrder(tx)
  const strange = header.tables.filter(({ name }) => !tables.includes(name)).map(({ name }) => name)
  if (strange.length > 0)
    throw new InvalidBackup(
      `This backup cannot be used: it contains tables that this version does not know: ${strange.join(', ')}.`,
    )
  // the schema is that of the backup, which may not have all of them yet
  const leftOut = await tx<{ name: string }[]>`
    select relname as name from pg_class where relnamespace = 'public'::regnamespace and relname = any(${LEFT_OUT})`
  await tx.unsafe(`truncate ${[...tables, ...leftOut.map(({ name }) => name)].map(quoteIdentifier).join()}`)
  for (const name of tables) await tx.unsafe(`alter table ${quoteIdentifier(name)} disable trigger user`)
  const old = await tx<{ name: string }[]>`
    select c.relname as name from pg_class c where c.relispartition and c.relkind = 'r' and c.relnamespace = 'public'::regnamespace`
  for (const { name } of old) await tx.unsafe(`drop table ${quoteIdentifier(name)}`)
  for (const part of header.partitions) await makePartition(tx, part)
  let bytes = 0
  const steps = header.tables.length + (header.files.isIncluded ? 1 : 0)
  for (const [i, { name, columns }] of header.tables.entries()) {
    progress({ step: i + 1, steps, name, bytes })
    const into = (await tx
      .unsafe(`copy ${quoteIdentifier(name)} (${columns.map(quoteIdentifier).join()}) from stdin`)
      .writable()) as Writable
    const finished = new Promise<void>((done, failed) => into.once('finish', done).once('error', failed))
    finished.catch(() => {})
    for (let part = await reader.frame(); part.length > 0; part = await reader.frame()) {
      bytes += part.length
      progress({ step: i + 1, steps, name, bytes })
      if (!into.write(part)) await Promise.race([new Promise((drained) => into.once('drain', drained)), finished])
    }
    into.end()
    await finished
  }
  if (header.files.isIncluded) {
    const name = 'files of attachments'
    progress({ step: steps, steps, name, bytes })
    await restoreFiles(reader, store, folder, added, (read) => {
      bytes += read
      progress({ step: steps, steps, name, bytes })
    })
  }
  const expected = reader.digest()
  const footer = JSON.parse((await reader.frame()).toString()) as { rows: Record<string, number>; sha256: string }
  if (footer.sha256 !== expected) throw new DamagedBackup('its content does not match its checksum')
  for (const { name, value } of header.sequences)
    await tx`select setval(${`public.${quoteIdentifier(name)}`}::regclass, ${value}::bigint)`
  // Checks deferred constraints now: a table with pending checks cannot be altered.
  await tx`set constraints all immediate`
  // the schema of an older backup has the functions after its later migrations only
  await tx.unsafe(functionText('forget_latest_writers'))
  await tx`select forget_latest_writers()`
  await pauseExchange(tx)
  for (const name of tables) await tx.unsafe(`alter table ${quoteIdentifier(name)} enable trigger user`)
  return footer.rows
}

const RESTORED = fault('erp_run_restored')

/**
 * A restored copy must not write into the production ERP: automatic runs wait until the operator resumes them, and no process
 * continues the runs that were under way.
 */
export async function pauseExchange(tx: TransactionSql): Promise<void> {
  await tx`update erp_connections set paused_at = coalesce(paused_at, now())`
  await tx`
    update erp_runs set status = case when succeeded > 0 then 'partial' else 'failed' end, ended_at = now(), leased_until = now(),
      error_message = ${RESTORED.detail}
    where status = 'running'`
}

/** By code too, for which the schema of an older backup has no column. */
export const explainEndedRuns = (owner: Sql) => owner`
  update erp_runs set fault = ${owner.json(RESTORED as never)} where error_message = ${RESTORED.detail} and fault is null`

/**
 * Creates a partition with the original bounds, not with today's width. Its row in the table of partitions comes with that table.
 */
async function makePartition(tx: TransactionSql, part: BackupHeader['partitions'][number]): Promise<void> {
  const parent = quoteIdentifier(part.parent)
  await tx.unsafe(`create table ${quoteIdentifier(part.name)} (like ${parent} including all)`)
  await tx.unsafe(
    `alter table ${parent} attach partition ${quoteIdentifier(part.name)} for values from ('${literal(part.lower)}') to ('${literal(part.upper)}')`,
  )
}
const literal = (text: string) => text.replaceAll("'", "''")
