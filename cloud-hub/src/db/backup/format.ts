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
  /** the same of the next key, where the backup was made during a rotation: it needs both */
  nextKeyMark?: string
  /** the key that the hub generated; null when the operator sets SECRET_KEY */
  secretKey: string | null
  /** the next key that the hub generated for a rotation */
  nextSecretKey?: string
  tables: { name: string; columns: string[] }[]
  partitions: { name: string; parent: string; lower: string; upper: string }[]
  sequences: { name: string; value: string }[]
  /** where the files of attachments were stored, and whether the backup contains them */
  files: { store: string; isIncluded: boolean }
}

/** The file is not a backup that this hub can restore. */
export class InvalidBackup extends Error {}

/** The backup is truncated or modified. */
export class DamagedBackup extends InvalidBackup {
  constructor(what: string) {
    super(
      `This backup is damaged: ${what}. Nothing was restored. Copy the file again from where it was written and compare both by sha256sum; otherwise restore an older backup.`,
    )
  }
}

/** A frame: the length in 4 bytes, then the bytes. An empty frame ends a table. */
export function encodeFrame(bytes: Uint8Array): Buffer {
  const head = Buffer.alloc(4)
  head.writeUInt32BE(bytes.length)
  return Buffer.concat([head, bytes])
}

const MAX_FRAME = 1 << 28

function frameLength(head: Buffer): number {
  const length = head.readUInt32BE()
  if (length > MAX_FRAME) throw new DamagedBackup('the length of a part is impossible')
  return length
}

/** Reads frames from a stream of chunks of any size, and hashes them. */
export class FrameReader {
  readonly #chunks: AsyncIterator<Buffer>
  readonly #hash = createHash('sha256')
  #rest: Buffer = Buffer.alloc(0)

  constructor(stream: Readable) {
    this.#chunks = stream[Symbol.asyncIterator]()
  }

  async bytes(length: number): Promise<Buffer> {
    const bytes = await this.#read(length)
    this.#hash.update(bytes)
    return bytes
  }

  async #read(length: number): Promise<Buffer> {
    const parts = [this.#rest]
    let have = this.#rest.length
    while (have < length) {
      const { value, done } = await this.#chunks.next()
      if (done) throw new DamagedBackup('it ends too early')
      parts.push(value as Buffer)
      have += (value as Buffer).length
    }
    const all = parts.length === 1 ? this.#rest : Buffer.concat(parts)
    this.#rest = all.subarray(length)
    return all.subarray(0, length)
  }

  async frame(): Promise<Buffer> {
    return this.bytes(frameLength(await this.bytes(4)))
  }

  /** Reads to the end. @returns the last frame, which is the footer, and the SHA-256 of everything before it */
  async rest(): Promise<{ footer: Buffer; sha256: string }> {
    let head: Buffer = Buffer.alloc(0)
    let body: Buffer = head
    while (!(await this.#isAtEnd())) {
      this.#hash.update(head).update(body)
      head = await this.#read(4)
      body = await this.#read(frameLength(head))
    }
    return { footer: body, sha256: this.digest() }
  }

  async #isAtEnd(): Promise<boolean> {
    while (this.#rest.length === 0) {
      const { value, done } = await this.#chunks.next()
      if (done) return true
      this.#rest = value as Buffer
    }
    return false
  }

  /** SHA-256, hex, of everything read so far. */
  digest(): string {
    return this.#hash.copy().digest('hex')
  }
}
