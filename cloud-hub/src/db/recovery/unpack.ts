import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, readFile } from 'node:fs/promises'
import path from 'node:path'
import { createZstdDecompress } from 'node:zlib'
import { RecoveryRefused } from './base-backup.ts'
import { type BaseBackup, DATA_FILE, MANIFEST } from './catalogue.ts'

const BLOCK = 512
const CHUNK = 1 << 20

interface Manifest {
  Files: { Path?: string; 'Encoded-Path'?: string; Size: number; Checksum?: string }[]
}

const damaged = ({ folder, label }: BaseBackup, what: string) =>
  new RecoveryRefused(
    `The base backup ${folder} is damaged: ${what}. Nothing was restored. Copy it again from where it was copied to, ` +
      `or restore from an older one: --base LABEL (\`hub base-backups\` lists them; this one is ${label}).`,
  )

/**
 * Writes the files of a base backup into a folder, and compares each with the checksum in the manifest.
 * @throws RecoveryRefused when one is missing, damaged or not part of the manifest
 */
export async function unpackBaseBackup(backup: BaseBackup, target: string, progress: (bytes: number) => void): Promise<void> {
  const expected = await readManifest(backup)
  try {
    await unpackFiles(backup, target, expected, progress)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code.startsWith('ZSTD') || code === 'Z_DATA_ERROR' || code === 'Z_BUF_ERROR' || error instanceof TarError)
      throw damaged(backup, `${DATA_FILE} cannot be read (${(error as Error).message})`)
    if (code === 'ENOENT' && (error as NodeJS.ErrnoException).path?.endsWith(DATA_FILE))
      throw damaged(backup, `${DATA_FILE} is missing`)
    throw error
  }
  const [missing] = expected.keys()
  if (missing !== undefined) throw damaged(backup, `${missing} is missing`)
}

/** The room that the files of a base backup need. @throws RecoveryRefused when its manifest is damaged */
export async function unpackedBytes(backup: BaseBackup): Promise<number> {
  let bytes = 0
  for (const { size } of (await readManifest(backup)).values()) bytes += size
  return bytes
}

async function readManifest(backup: BaseBackup): Promise<Map<string, { size: number; sha256: string }>> {
  const bytes = await readFile(path.join(backup.folder, MANIFEST)).catch(() => {
    throw damaged(backup, `${MANIFEST} is missing`)
  })
  if (createHash('sha256').update(bytes).digest('hex') !== backup.manifestSha256)
    throw damaged(backup, `${MANIFEST} does not match its checksum`)
  const { Files } = JSON.parse(bytes.toString()) as Manifest
  return new Map(
    Files.map((file) => [
      file.Path ?? Buffer.from(file['Encoded-Path'] ?? '', 'hex').toString('latin1'),
      { size: file.Size, sha256: file.Checksum ?? '' },
    ]),
  )
}

class TarError extends Error {}

async function unpackFiles(
  backup: BaseBackup,
  target: string,
  expected: Map<string, { size: number; sha256: string }>,
  progress: (bytes: number) => void,
): Promise<void> {
  const reader = new ByteReader(
    createReadStream(path.join(backup.folder, DATA_FILE), { highWaterMark: CHUNK }).on('error', (error) => reader.fail(error)),
  )
  let written = 0
  try {
    for (;;) {
      const header = await reader.bytes(BLOCK)
      if (!header || header.every((byte) => byte === 0)) return
      const { name, type, size } = parseHeader(header)
      const file = pathWithin(target, name)
      if (type === 'directory') {
        await mkdir(file, { recursive: true, mode: 0o700 })
        continue
      }
      await mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
      const sha256 = await writeFile(reader, file, size)
      const manifested = expected.get(name)
      // those that the server makes for the copy alone are part of the manifest too
      if (!manifested || manifested.size !== size || manifested.sha256 !== sha256)
        throw damaged(backup, manifested ? `${name} does not match its checksum` : `${name} is not part of the manifest`)
      expected.delete(name)
      await reader.bytes((BLOCK - (size % BLOCK)) % BLOCK)
      written += size
      progress(written)
    }
  } finally {
    reader.close()
  }
}

async function writeFile(reader: ByteReader, file: string, size: number): Promise<string> {
  const hash = createHash('sha256')
  const handle = await open(file, 'wx', 0o600)
  try {
    for (let left = size; left > 0; ) {
      const part = await reader.bytes(Math.min(left, CHUNK))
      if (!part) throw new TarError('it ends too early')
      hash.update(part)
      await handle.writeFile(part)
      left -= part.length
    }
    await handle.sync()
  } finally {
    await handle.close()
  }
  return hash.digest('hex')
}

/** Source: POSIX.1-2001, ustar */
function parseHeader(header: Buffer): { name: string; type: 'file' | 'directory'; size: number } {
  const text = (from: number, to: number) => header.toString('latin1', from, to).replace(/\0.*$/s, '')
  const sum = header.reduce((total, byte, i) => total + (i >= 148 && i < 156 ? 32 : byte), 0)
  if (Number.parseInt(text(148, 156), 8) !== sum) throw new TarError('a header does not match its checksum')
  const [name, prefix, flag] = [text(0, 100), text(345, 500), text(156, 157)]
  // the highest bit marks a size in base 256
  const size = (header[124] as number) & 0x80 ? Number(header.readBigUInt64BE(128)) : Number.parseInt(text(124, 136), 8)
  if (flag !== '0' && flag !== '' && flag !== '5') throw new TarError(`${name} is neither a file nor a directory`)
  return { name: prefix ? `${prefix}/${name}` : name, type: flag === '5' ? 'directory' : 'file', size: flag === '5' ? 0 : size }
}

function pathWithin(target: string, name: string): string {
  const file = path.resolve(target, name)
  if (!file.startsWith(`${path.resolve(target)}${path.sep}`) && file !== path.resolve(target))
    throw new TarError(`${name} leads elsewhere`)
  return file
}

/** Reads a compressed stream in pieces of a given length. */
class ByteReader {
  readonly #stream
  readonly #source
  #parts: Buffer[] = []
  #length = 0
  readonly #chunks: AsyncIterator<Buffer>

  constructor(source: NodeJS.ReadableStream & { destroy(): void }) {
    this.#source = source
    this.#stream = createZstdDecompress()
    source.pipe(this.#stream)
    this.#chunks = this.#stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  }

  fail(error: Error): void {
    this.#stream.destroy(error)
  }

  /** @returns null when fewer bytes are left */
  async bytes(length: number): Promise<Buffer | null> {
    while (this.#length < length) {
      const { value, done } = await this.#chunks.next()
      if (done) return null
      this.#parts.push(value)
      this.#length += value.length
    }
    const all = this.#parts.length === 1 ? (this.#parts[0] as Buffer) : Buffer.concat(this.#parts)
    this.#parts = [all.subarray(length)]
    this.#length -= length
    return all.subarray(0, length)
  }

  close(): void {
    this.#source.destroy()
    this.#stream.destroy()
  }
}
