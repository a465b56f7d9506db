import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'

/** First line of a backup, inside the compression. */
export const MAGIC = 'haltless-backup 2\n'
/** That of backups with the schema from before the baseline. */
export const OLD_MAGIC = 'haltless-backup 1\n'

/** The header of a backup, before its tables. */
export interface BackupHeader {
  createdAt: string
  hubVersion: string
  /** number of migrations of its database */
  migrations: number
  /** identifies the SECRET_KEY without revealing it */
  keyMark: string
  /** the key that the hub generated; null when the operator sets SECRET_KEY */
  secretKey: string | null
  tables: { name: string; columns: string[] }[]
  partitions: { name: string; parent: string; lower: string; upper: string }[]
  sequences: { name: string; value: string }[]
  /** where the files of attachments were stored, and whether the backup contains them */
  files: { store: string; isIncluded: boolean }
}

/** The file is not a backup, or is truncated or modified. */
export class InvalidBackup extends Error {
  constructor(what: string) {
    super(`This backup cannot be used: ${what}.`)
  }
}

/** A frame: the length in 4 bytes, then the bytes. An empty frame ends a table. */
export function encodeFrame(bytes: Uint8Array): Buffer {
  const head = Buffer.alloc(4)
  head.writeUInt32BE(bytes.length)
  return Buffer.concat([head, bytes])
}

const MAX_FRAME = 1 << 28

/** Reads frames from a stream of chunks of any size, and hashes them. */
export class FrameReader {
  readonly #chunks: AsyncIterator<Buffer>
  readonly #hash = createHash('sha256')
  #rest: Buffer = Buffer.alloc(0)

  constructor(stream: Readable) {
    this.#chunks = stream[Symbol.asyncIterator]()
  }

  async bytes(length: number): Promise<Buffer> {
    const parts = [this.#rest]
    let have = this.#rest.length
    while (have < length) {
      const { value, done } = await this.#chunks.next()
      if (done) throw new InvalidBackup('it is incomplete')
      parts.push(value as Buffer)
      have += (value as Buffer).length
    }
    const all = parts.length === 1 ? this.#rest : Buffer.concat(parts)
    this.#rest = all.subarray(length)
    const frame = all.subarray(0, length)
    this.#hash.update(frame)
    return frame
  }

  async frame(): Promise<Buffer> {
    const length = (await this.bytes(4)).readUInt32BE()
    if (length > MAX_FRAME) throw new InvalidBackup('a frame is too long')
    return this.bytes(length)
  }

  /** SHA-256, hex, of everything read so far. */
  digest(): string {
    return this.#hash.copy().digest('hex')
  }
}
