import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress } from 'node:zlib'
import { ADVISORY_LOCKS } from '../advisory-locks.ts'
import { asOwner } from '../owner.ts'
import type { Sql, TransactionSql } from '../pools.ts'
import { type BackedFiles, type BackupStore, fileFrames, verifyFiles } from './files.ts'
import { type BackupHeader, encodeFrame, MAGIC } from './format.ts'
import { columnsOf, quoteIdentifier, tablesInOrder } from './tables.ts'

type About = Pick<BackupHeader, 'hubVersion' | 'keyMark' | 'nextKeyMark' | 'secretKey' | 'nextSecretKey'>

export interface BackupResult {
  file: string
  bytes: number
  /** rows by table */
  rows: Record<string, number>
  files: BackedFiles
}

/**
 * Writes all data of the hub into one file from a repeatable-read snapshot, while the hub runs, with the files of attachments if
 * they are in a directory. The workers of the hub delete no file of an attachment meanwhile. The file contains the
 * encrypted secrets of all tenants and a self-generated SECRET_KEY. Only its owner can read it.
 */
export async function writeBackup(
  url: string,
  file: string,
  about: About,
  store: BackupStore,
  progress: (table: string, rows: number) => void,
): Promise<BackupResult> {
  const draft = `${file}.part`
  const rows: Record<string, number> = {}
  const files: BackedFiles = { count: 0, bytes: 0, faulty: [] }
  try {
    await asOwner(url, 'backup', async (owner) => {
      const partitioned = await partitionedTables(owner)
      await owner`select pg_advisory_lock_shared(${ADVISORY_LOCKS.fileDeletion})`
      return owner.begin('isolation level repeatable read read only', async (tx) => {
        // No partition is dropped while the snapshot reads it, because DROP is not part of a snapshot. LOCK takes none, so it comes first.
        if (partitioned.length > 0) await tx.unsafe(`lock table ${partitioned.map(quoteIdentifier).join()} in access share mode`)
        const source = Readable.from(framesOf(tx, { about, store, rows, files, progress }), {
          objectMode: false,
          highWaterMark: 1 << 20,
        })
        await pipeline(source, createZstdCompress(), createWriteStream(draft, { mode: 0o600 }))
      })
    })
    const handle = await open(draft, 'r+')
    try {
      await handle.sync()
      const { size } = await handle.stat()
      await rename(draft, file)
      return { file: path.resolve(file), bytes: size, rows, files }
    } finally {
      await handle.close()
    }
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

/** The tables with partitions. */
const partitionedTables = async (owner: Sql): Promise<string[]> =>
  (
    await owner<{ name: string }[]>`
      select relname as name from pg_class where relkind = 'p' and relnamespace = 'public'::regnamespace order by 1`
  ).map(({ name }) => name)

async function* framesOf(
  tx: TransactionSql,
  {
    about,
    store,
    rows,
    files,
    progress,
  }: Pick<BackupResult, 'rows' | 'files'> & {
    about: About
    store: BackupStore
    progress: (table: string, rows: number) => void
  },
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  const out = (bytes: Buffer) => {
    hash.update(bytes)
    return bytes
  }
  const header = await headerOf(tx, about, store)
  yield out(Buffer.from(MAGIC))
  yield out(encodeFrame(Buffer.from(JSON.stringify(header))))
  for (const table of header.tables) {
    let count = 0
    const columns = table.columns.map(quoteIdentifier).join()
    const stream = await tx.unsafe(`copy (select ${columns} from ${quoteIdentifier(table.name)}) to stdout`).readable()
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      count += chunk.toString('latin1').split('\n').length - 1
      progress(table.name, count)
      yield out(encodeFrame(chunk))
    }
    rows[table.name] = count
    yield out(encodeFrame(Buffer.alloc(0)))
  }
  if (store.isIncluded) for await (const frame of fileFrames(tx, store, files)) yield out(frame)
  else Object.assign(files, await verifyFiles(tx, store))
  yield encodeFrame(Buffer.from(JSON.stringify({ rows, sha256: hash.digest('hex') })))
}

async function headerOf(tx: TransactionSql, about: About, store: BackupStore): Promise<BackupHeader> {
  const [applied] = await tx<{ n: number }[]>`select count(*)::int as n from drizzle.__drizzle_migrations`
  const tables: BackupHeader['tables'] = []
  for (const name of await tablesInOrder(tx)) tables.push({ name, columns: await columnsOf(tx, name) })
  const partitions = await tx<BackupHeader['partitions']>`
    select name, parent, case when parent in ('reading_minutes', 'reading_key_pages') then (lower at time zone 'UTC')::date::text else lower::text end as lower,
      case when parent in ('reading_minutes', 'reading_key_pages') then (upper at time zone 'UTC')::date::text else upper::text end as upper
    from store_partitions parts
    order by parent, parts.lower`
  const sequences = await tx<{ name: string; value: string | null }[]>`
    select sequencename as name, last_value::text as value from pg_sequences where schemaname = 'public'`
  return {
    createdAt: new Date().toISOString(),
    ...about,
    files: { store: store.name, isIncluded: store.isIncluded },
    migrations: applied?.n ?? 0,
    tables,
    partitions: [...partitions],
    sequences: sequences.flatMap(({ name, value }) => (value === null ? [] : [{ name, value }])),
  }
}
