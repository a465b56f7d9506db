import { createHash } from 'node:crypto'
import { type Readable, Transform } from 'node:stream'
import { Unavailable } from '../../../../support/errors.ts'
import type { ByteRange } from '../../../../support/http/byte-range.ts'

/** What changes when the bytes of a stored file change. */
export interface FileIdentity {
  size: number
  /** of a directory: inode and times; of S3: the ETag */
  tag: string
  /** the version of an S3 object, in a bucket with versions */
  version?: string
  /** whether a change from now on gives another identity: times of files have a resolution, and a storage may send no ETag */
  isSettled: boolean
}

/**
 * The files of attachments. A file is stored as a whole under a key that the hub generated, and never changes. Keys consist of
 * letters, digits, `-`, `_` and `/`.
 */
export interface AttachmentStore {
  /** for the operator, without credentials: a path, or `s3://bucket/prefix` */
  readonly name: string
  /** a backup contains the files; otherwise it refers to them */
  readonly isIncluded: boolean
  /**
   * Stores a finished file under a new key and verifies its size. It may move the file. Afterwards the file is durable.
   * @throws StorageAway
   */
  put(key: string, file: { path: string; size: number }): Promise<void>
  /**
   * @param identity only the file of this identity is read: the stream fails before its last byte when the file changes meanwhile
   * @throws FileDamaged when the file is missing or has another identity; StorageAway
   */
  read(key: string, range?: ByteRange, identity?: FileIdentity): Promise<Readable>
  /** null: there is no such file. @throws StorageAway, also when no file is there at all */
  identify(key: string): Promise<FileIdentity | null>
  /** null: there is no such file. @throws StorageAway */
  size(key: string): Promise<number | null>
  /** Also succeeds for a file that is gone. @throws StorageAway */
  remove(key: string): Promise<void>
  close(): void
}

/** The storage does not respond, or refuses the hub. `cause` is for the log and contains no credentials. */
export class StorageAway extends Unavailable {
  constructor(cause: unknown) {
    super('storage_away', 'The storage of attachments does not respond; try again later.', 30)
    this.cause = cause
  }
}

/** A row refers to a file that the store does not have, or that has changed. */
export class FileDamaged extends Error {
  constructor(key: string, what: string) {
    super(`the attachment ${key} ${what}`)
    this.name = 'FileDamaged'
  }
}

/** Passes a stream on. The last chunk leaves only after `check`, so the reader of a damaged file never gets all bytes. */
export function heldBack(
  source: Readable,
  { see, check }: { see?: (chunk: Buffer) => void; check: () => void | Promise<void> },
): Readable {
  let held: Buffer | null = null
  const passing = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      see?.(chunk)
      const ready = held
      held = chunk
      done(null, ready ?? undefined)
    },
    async flush(done) {
      try {
        await check()
        done(null, held ?? undefined)
      } catch (error) {
        done(error as Error)
      }
    },
  })
  source.once('error', (error) => passing.destroy(error))
  passing.once('close', () => source.destroy())
  return source.pipe(passing)
}

/** Passes a whole file through and compares it with its size and SHA-256 before the last chunk leaves. */
export function verified(key: string, source: Readable, expected: { size: number; sha256: string }): Readable {
  const hash = createHash('sha256')
  let size = 0
  return heldBack(source, {
    see: (chunk) => {
      hash.update(chunk)
      size += chunk.length
    },
    check: () => {
      if (size !== expected.size || hash.digest('hex') !== expected.sha256)
        throw new FileDamaged(key, 'does not have the bytes that were uploaded')
    },
  })
}
