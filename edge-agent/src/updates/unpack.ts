import { createHash } from 'node:crypto'
import {
  closeSync,
  constants,
  createReadStream,
  createWriteStream,
  fchmodSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import path from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createZstdDecompress, constants as zlib } from 'node:zlib'
import type { ReleaseFile } from '@haltless/protocol'
import { syncFolder } from '../support/durable-file.ts'
import { ArchiveRefused, readTar } from './tar-reader.ts'

/** An agent takes some 120 MB. */
const UNPACKED_BYTES_MAX = 1_000 * 2 ** 20
const PIECE = 1_048_576

/**
 * Opens a file of a folder that another user owns: a link, a device or a pipe in its place is refused.
 * @returns a descriptor
 * @throws ArchiveRefused when there is no such file
 */
export function openForeign(file: string): number {
  let opened: number
  try {
    opened = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch {
    throw new ArchiveRefused(`there is no ${path.basename(file)}`)
  }
  if (fstatSync(opened).isFile()) return opened
  closeSync(opened)
  throw new ArchiveRefused(`${path.basename(file)} is no plain file`)
}

/**
 * Copies an archive out of the agent's reach and compares it with the manifest; what is installed later is the copy.
 * @throws ArchiveRefused when it is another one
 */
export function copyVerified(source: string, target: string, { size, sha256 }: ReleaseFile): void {
  const from = openForeign(source)
  try {
    const to = openSync(target, 'w', 0o600)
    try {
      const piece = Buffer.alloc(PIECE)
      const hash = createHash('sha256')
      let copied = 0
      for (;;) {
        const length = readSync(from, piece)
        copied += length
        if (length === 0 || copied > size) break
        hash.update(piece.subarray(0, length))
        writeAll(to, piece.subarray(0, length))
      }
      if (copied !== size) throw new ArchiveRefused(`the archive does not have the ${size} bytes that the manifest names`)
      if (hash.digest('hex') !== sha256) throw new ArchiveRefused('the archive does not have the SHA-256 that the manifest names')
      fsyncSync(to)
    } finally {
      closeSync(to)
    }
  } finally {
    closeSync(from)
  }
}

/**
 * Unpacks a verified archive into a new folder: after a power cut it is there with every file whole, or not at all. What is unpacked
 * belongs to this process, and others may read it.
 * @param workDir where files may lie meanwhile, on the same file system
 * @throws ArchiveRefused when it holds what an agent cannot hold
 */
export async function unpack(archive: string, folder: string, workDir: string): Promise<void> {
  const [tar, partial] = [path.join(workDir, 'archive.tar'), path.join(workDir, 'unpacked')]
  rmSync(partial, { recursive: true, force: true })
  try {
    await decompress(archive, tar)
    const opened = openSync(tar, 'r')
    try {
      const folders = unpackEntries(opened, partial)
      for (const made of folders.toReversed()) syncFolder(made)
    } finally {
      closeSync(opened)
    }
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(path.dirname(folder), { recursive: true, mode: 0o755 })
    renameSync(partial, folder)
    syncFolder(path.dirname(folder))
  } finally {
    rmSync(tar, { force: true })
    rmSync(partial, { recursive: true, force: true })
  }
}

async function decompress(archive: string, tar: string): Promise<void> {
  let total = 0
  const bounded = new Transform({
    transform(piece: Buffer, _, done) {
      total += piece.length
      if (total > UNPACKED_BYTES_MAX) done(new ArchiveRefused('it is larger than an agent can be'))
      else done(null, piece)
    },
  })
  const params = { [zlib.ZSTD_d_windowLogMax]: 27 }
  try {
    await pipeline(createReadStream(archive), createZstdDecompress({ params }), bounded, createWriteStream(tar, { mode: 0o600 }))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code?.startsWith('ZSTD')) throw new ArchiveRefused('the archive is damaged')
    throw error
  }
}

/** @returns the folders, each after the one that holds it */
function unpackEntries(tar: number, target: string): string[] {
  const folders = new Set<string>()
  const makeFolder = (folder: string) => {
    if (folders.has(folder)) return
    if (folder !== target) makeFolder(path.dirname(folder))
    mkdirSync(folder, { mode: 0o755 })
    folders.add(folder)
  }
  for (const entry of readTar(tar)) {
    const place = path.join(target, entry.path)
    if (entry.kind === 'folder') makeFolder(place)
    else {
      makeFolder(path.dirname(place))
      writeContent(tar, entry.offset, entry.size, place, entry.isExecutable ? 0o755 : 0o644)
    }
  }
  return [...folders]
}

function writeContent(tar: number, offset: number, size: number, target: string, mode: number): void {
  const to = openSync(target, 'wx', 0o600)
  try {
    const piece = Buffer.alloc(Math.min(PIECE, size))
    for (let done = 0; done < size; ) {
      const length = readSync(tar, piece, 0, Math.min(piece.length, size - done), offset + done)
      if (length === 0) throw new ArchiveRefused('it ends in the middle')
      writeAll(to, piece.subarray(0, length))
      done += length
    }
    // whatever the umask is
    fchmodSync(to, mode)
    fsyncSync(to)
  } finally {
    closeSync(to)
  }
}

function writeAll(to: number, bytes: Buffer): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(to, bytes, done)
}
