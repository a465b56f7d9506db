import { createHash, randomUUID } from 'node:crypto'
import { open, rm } from 'node:fs/promises'
import path from 'node:path'
import type { Readable } from 'node:stream'
import type { Sql, TransactionSql } from '../pools.ts'
import { DamagedBackup, encodeFrame, type FrameReader } from './format.ts'

/** Where the files of attachments are stored, as the command line opens it. */
export interface BackupStore {
  /** for the operator, without credentials */
  readonly name: string
  /** a backup contains the files; otherwise it refers to them, and their presence is verified */
  readonly isIncluded: boolean
  size(key: string): Promise<number | null>
  read(key: string): Promise<Readable>
  put(key: string, file: { path: string; size: number }): Promise<void>
  remove(key: string): Promise<void>
  /** the keys of all files; undefined: the storage cannot list them */
  keys?(): AsyncIterable<string>
}

/** What became of the files of attachments. */
export interface BackedFiles {
  count: number
  bytes: number
  /** keys of files that are missing, or that are not as they were uploaded */
  faulty: string[]
}

interface StoredFile {
  key: string
  size: number
  sha256: string
}

const CHUNK = 1 << 20
const PAGE = 500

async function* storedFiles(sql: Sql | TransactionSql): AsyncGenerator<StoredFile> {
  let after = ''
  for (;;) {
    const page = await sql<StoredFile[]>`
      select storage_key as key, size_bytes::float8 as size, sha256 from attachments
      where storage_key > ${after} order by storage_key limit ${PAGE}`
    yield* page
    if (page.length < PAGE) return
    after = (page.at(-1) as StoredFile).key
  }
}

/** Compares the stored files with their rows, by size. */
export async function verifyFiles(sql: Sql | TransactionSql, store: BackupStore): Promise<BackedFiles> {
  const found: BackedFiles = { count: 0, bytes: 0, faulty: [] }
  for await (const { key, size } of storedFiles(sql)) {
    found.count++
    found.bytes += size
    if ((await store.size(key)) !== size) found.faulty.push(key)
  }
  return found
}

/**
 * The frames of all files: for each its key, its bytes and an empty frame; then an empty frame. A file that is not as it was
 * uploaded is included as it is, a missing one is left out; `found` names both.
 */
export async function* fileFrames(tx: TransactionSql, store: BackupStore, found: BackedFiles): AsyncGenerator<Buffer> {
  for await (const { key, size, sha256 } of storedFiles(tx)) {
    found.count++
    found.bytes += size
    if ((await store.size(key)) === null) {
      found.faulty.push(key)
      continue
    }
    yield encodeFrame(Buffer.from(JSON.stringify({ key })))
    const hash = createHash('sha256')
    for await (const chunk of await store.read(key)) {
      hash.update(chunk as Buffer)
      for (let at = 0; at < (chunk as Buffer).length; at += CHUNK) yield encodeFrame((chunk as Buffer).subarray(at, at + CHUNK))
    }
    if (hash.digest('hex') !== sha256) found.faulty.push(key)
    yield encodeFrame(Buffer.alloc(0))
  }
  yield encodeFrame(Buffer.alloc(0))
}

/**
 * Stores the files of a backup. @param folder for a file that is not complete
 * @param onRead called with the number of bytes read since its last call
 * @param added collects the keys of the files that were not there before, so that the caller can remove them after a failure
 */
export async function restoreFiles(
  reader: FrameReader,
  store: BackupStore,
  folder: string,
  added: string[],
  onRead: (bytes: number) => void,
): Promise<void> {
  for (let entry = await reader.frame(); entry.length > 0; entry = await reader.frame()) {
    const { key } = JSON.parse(entry.toString()) as { key?: unknown }
    if (typeof key !== 'string') throw new DamagedBackup('it names a file without a key')
    const draft = path.join(folder, `restore-${randomUUID()}`)
    try {
      const size = await writeFrames(reader, draft, onRead)
      if ((await store.size(key)) === null) added.push(key)
      await store.put(key, { path: draft, size })
    } finally {
      await rm(draft, { force: true })
    }
  }
}

async function writeFrames(reader: FrameReader, draft: string, onRead: (bytes: number) => void): Promise<number> {
  const handle = await open(draft, 'wx', 0o600)
  let size = 0
  try {
    for (let part = await reader.frame(); part.length > 0; part = await reader.frame()) {
      await handle.writeFile(part)
      size += part.length
      onRead(part.length)
    }
    await handle.sync()
  } finally {
    await handle.close()
  }
  return size
}
