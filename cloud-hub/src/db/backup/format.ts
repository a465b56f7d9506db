import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'

/** First line of a backup, before compression is undone nothing else is readable. */
export const MAGIC = 'haltless-backup 1\n'

/** What a backup says of itself, before its tables. */
export interface BackupHeader {
  createdAt: string
  hubVersion: string
  /** how many migrations its database had */
  migrations: number
  /** tells one SECRET_KEY from another without revealing it */
  keyMark: string
  /** the key that the hub had made for itself; null where the operator sets SECRET_KEY */
  secretKey: string | null
  tables: { name: string; columns: string[] }[]
  partitions: { name: string; parent?: string; lower: string; upper: string }[]
  sequences: { name: string; value: string }[]
}

/** The file is not a backup, or was cut off or changed. */
export class InvalidBackup extends Error {
  constructor(what: string) {
    super(`This backup cannot be used: ${what}.`)
  }
}

/** A length of 4 bytes and so many bytes; an empty frame ends a table. */
export function frame(bytes: Uint8Array): Buffer {
  const head = Buffer.alloc(4)
  head.writeUInt32BE(bytes.length)
  return Buffer.concat([head, bytes])
}

const MAX_FRAME = 1 << 28

/** Reads what `frame` wrote from a stream of chunks of any size, and hashes it on the way. */
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
      if (done) throw new InvalidBackup('it ends in the middle')
      parts.push(value as Buffer)
      have += (value as Buffer).length
    }
    const all = parts.length === 1 ? this.#rest : Buffer.concat(parts)
    this.#rest = all.subarray(length)
    const taken = all.subarray(0, length)
    this.#hash.update(taken)
    return taken
  }

  async frame(): Promise<Buffer> {
    const length = (await this.bytes(4)).readUInt32BE()
    if (length > MAX_FRAME) throw new InvalidBackup('a part of it is impossibly long')
    return this.bytes(length)
  }

  /** SHA-256, hex, of everything read so far. */
  digest(): string {
    return this.#hash.copy().digest('hex')
  }
}
