import type { BigIntStats } from 'node:fs'
import { copyFile, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { Unavailable } from '../../../../support/errors.ts'
import { type AttachmentStore, FileDamaged, type FileIdentity, heldBack, StorageAway } from './store.ts'

const KEY = /^[\w-]+(\/[\w-]+)*$/

/** Attachments as files below a directory, which only the user of the hub can read. */
export class DirectoryStore implements AttachmentStore {
  readonly name: string
  readonly isIncluded: boolean = true

  /** @param folder absolute; created with the first file */
  constructor(folder: string) {
    this.name = folder
  }

  async put(key: string, { path: from, size }: { path: string; size: number }): Promise<void> {
    const target = this.#pathOf(key)
    try {
      await mkdir(path.dirname(target), { recursive: true, mode: 0o700 })
      await move(from, target)
      await flush(path.dirname(target))
      await flush(this.name)
      const stored = await stat(target)
      if (stored.size !== size) throw new Error(`${stored.size} of ${size} bytes were stored`)
    } catch (error) {
      throw refusalOf(error)
    }
  }

  async read(key: string, range?: { first: number; last: number }, identity?: FileIdentity) {
    // Opened first, so that a missing file is an error of this call.
    const handle = await open(this.#pathOf(key)).catch((error) => {
      throw isMissing(error) ? new FileDamaged(key, 'is missing') : new StorageAway(error)
    })
    const part = range && { start: range.first, end: range.last }
    if (!identity) return handle.createReadStream(part)
    const compare = async () => {
      if (identityOf(await handle.stat({ bigint: true })).tag === identity.tag) return
      throw new FileDamaged(key, 'was changed while it was read')
    }
    try {
      await compare()
    } catch (error) {
      await handle.close()
      throw error
    }
    // closed after the second comparison, not with the last byte
    const body = heldBack(handle.createReadStream({ ...part, autoClose: false }), { check: compare })
    return body.once('close', () => handle.close().catch(() => {}))
  }

  async identify(key: string): Promise<FileIdentity | null> {
    try {
      const found = await stat(this.#pathOf(key), { bigint: true })
      return found.isFile() ? identityOf(found) : null
    } catch (error) {
      if (!isMissing(error)) throw new StorageAway(error)
      // A volume that is not mounted is not a missing file.
      if ((await readdir(this.name).catch(() => [])).length === 0) throw new StorageAway(error)
      return null
    }
  }

  async size(key: string): Promise<number | null> {
    try {
      return (await stat(this.#pathOf(key))).size
    } catch (error) {
      if (isMissing(error)) return null
      throw new StorageAway(error)
    }
  }

  async remove(key: string): Promise<void> {
    const file = this.#pathOf(key)
    try {
      await Promise.all([file, draftOf(file)].map((one) => rm(one, { force: true })))
    } catch (error) {
      throw new StorageAway(error)
    }
  }

  /** Files that are being written have other names. */
  async *keys(): AsyncGenerator<string> {
    for (const tenant of await readdir(this.name, { withFileTypes: true }).catch(() => []))
      if (tenant.isDirectory())
        for (const name of await readdir(path.join(this.name, tenant.name))) {
          const key = `${tenant.name}/${name}`
          if (KEY.test(key)) yield key
        }
  }

  close(): void {}

  #pathOf(key: string): string {
    if (!KEY.test(key)) throw new Error(`${key} is no key of an attachment`)
    return path.join(this.name, key)
  }
}

const draftOf = (target: string) => `${target}.part`
const isMissing = (error: unknown) => ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')

/** Within this time, a second change may give a file the same times. */
const SETTLED_MS = 2_000

/** No program can set the time of the last change of a file's status (ctime); it changes with every write. */
const identityOf = ({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): FileIdentity => ({
  size: Number(size),
  tag: [dev, ino, size, mtimeNs, ctimeNs].join(),
  isSettled: Number(ctimeNs / 1_000_000n) < Date.now() - SETTLED_MS,
})

const refusalOf = (error: unknown) =>
  ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '')
    ? new Unavailable('storage_full', 'The hub has no space left for the file.', 60)
    : new StorageAway(error)

/** Renames a file. Between two file systems, it copies the file first. */
async function move(from: string, target: string): Promise<void> {
  try {
    await rename(from, target)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
    await copyFile(from, draftOf(target))
    await flush(draftOf(target))
    await rename(draftOf(target), target)
    await rm(from)
  }
}

/** Flushes a file, or the names in a folder, to the disk. Some network file systems cannot flush folders. */
async function flush(target: string): Promise<void> {
  const handle = await open(target)
  try {
    await handle.sync()
  } catch (error) {
    if (!['EINVAL', 'ENOTSUP', 'EPERM', 'EISDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  } finally {
    await handle.close()
  }
}
