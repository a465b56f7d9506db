import { createHash } from 'node:crypto'
import {
  closeSync,
  createReadStream,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import type { IncomingMessage } from 'node:http'
import path from 'node:path'
import type { ReleaseFile } from '@haltless/protocol'
import type { Clock } from '../support/clock.ts'
import { syncFolder } from '../support/durable-file.ts'

export interface ArchiveSource {
  /** @param from the first byte that is wanted. @throws Error when nothing answers */
  open(from: number, signal: AbortSignal): Promise<IncomingMessage>
}

/** What came is not what was signed. */
export class WrongArchive extends Error {
  override name = 'WrongArchive'
}

const PART = '.part'
export const ARCHIVE = 'archive.tar.zst'

/**
 * Downloads an archive, or the rest of it, and no faster than it may.
 * @param onProgress is called with the bytes that are there
 * @throws WrongArchive when the whole differs from the manifest; then it is deleted. Error when the connection fails: call again
 */
export async function download(
  { size, sha256 }: ReleaseFile,
  incoming: string,
  source: ArchiveSource,
  options: { bytesPerSecond: number; clock: Clock; signal: AbortSignal; onProgress: (received: number) => void },
): Promise<void> {
  mkdirSync(incoming, { recursive: true, mode: 0o700 })
  const part = path.join(incoming, `${sha256}${PART}`)
  for (const name of readdirSync(incoming))
    if (name.endsWith(PART) && path.join(incoming, name) !== part) rmSync(path.join(incoming, name))
  const known = statSync(part, { throwIfNoEntry: false })?.size ?? 0
  if (known < size) await receive(part, known, size, source, options)
  const hash = createHash('sha256')
  for await (const piece of createReadStream(part)) hash.update(piece)
  if (hash.digest('hex') !== sha256) {
    rmSync(part)
    throw new WrongArchive('the archive that the hub sent is not the signed one')
  }
  renameSync(part, path.join(incoming, ARCHIVE))
  syncFolder(incoming)
}

async function receive(
  part: string,
  known: number,
  size: number,
  source: ArchiveSource,
  { bytesPerSecond, clock, signal, onProgress }: Parameters<typeof download>[3],
): Promise<void> {
  const response = await source.open(known, signal)
  const isRest = response.statusCode === 206 && response.headers['content-range']?.startsWith(`bytes ${known}-`)
  if (!isRest && response.statusCode !== 200) {
    response.destroy()
    throw new Error(`the hub answered ${response.statusCode} to the download`)
  }
  let received = isRest ? known : 0
  const file = openSync(part, isRest ? 'a' : 'w', 0o600)
  try {
    const [startedAt, before] = [clock.monotonic(), received]
    for await (const piece of response as AsyncIterable<Buffer>) {
      if (received + piece.length > size) {
        rmSync(part)
        throw new WrongArchive('the hub sends more than the signed archive')
      }
      writeSync(file, piece)
      received += piece.length
      onProgress(received)
      const earlyMs = ((received - before) / bytesPerSecond) * 1_000 - (clock.monotonic() - startedAt)
      if (earlyMs > 0) await clock.sleep(earlyMs, signal)
      if (signal.aborted) throw new Error('the download was stopped')
    }
    fsyncSync(file)
  } finally {
    closeSync(file)
    response.destroy()
  }
  if (received < size) throw new Error(`the connection ended after ${received} of ${size} bytes`)
}
