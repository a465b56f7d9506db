import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { z } from 'zod'

/**
 * How far a file has been read, as it is stored. A file is recognised by its content and not by its name alone: after a rotation the name belongs to
 * another file, and a truncated file begins anew.
 */
export const Position = z.object({
  inode: z.number(),
  /** bytes that have been read, always whole lines */
  offset: z.int().min(0),
  /** where the records begin, behind the header; nothing is lost of a file that was not read further */
  start: z.int().min(0),
  /** {@link anchorOf} these bytes; of a document that is read as a whole: a hash of it */
  anchor: z.string(),
  /** the line at `offset` is too long, and its rest is passed over */
  isSkipping: z.boolean().default(false),
  /** All of it had been read, and nothing was added for ten minutes: nothing is missed when it is gone. */
  isIdle: z.boolean().default(false),
  last: z.object({ at: z.number(), seen: z.record(z.string(), z.int()) }),
  /** of a document: its records that the agent dated, by their timestamps and values */
  dated: z.array(z.tuple([z.string(), z.int()])).optional(),
})
export type Position = z.infer<typeof Position>

/** @returns null for what an older or newer agent wrote otherwise */
export function parsePosition(state: string): Position | null {
  try {
    return Position.parse(JSON.parse(state))
  } catch {
    return null
  }
}

export const ANCHOR_BYTES = 256

/**
 * A hash of the first and the last bytes before an offset, at most 256 each: the same file has the same, however long it has become.
 * @param head the file from its beginning, at least as far
 * @param before what stands directly before the offset, at least as much
 */
export function anchorIn(head: Buffer, before: Buffer, offset: number): string {
  const length = Math.min(ANCHOR_BYTES, offset)
  const hash = createHash('sha256')
    .update(head.subarray(0, length))
    .update(before.subarray(before.length - length))
  return hash.digest('base64url').slice(0, 22)
}

/** {@link anchorIn} of a file as it is. */
export async function anchorOf(file: FileHandle, offset: number): Promise<string> {
  const length = Math.min(ANCHOR_BYTES, offset)
  const [head, before] = [await readBytes(file, 0, length), await readBytes(file, offset - length, length)]
  return before.length < length ? '' : anchorIn(head, before, offset)
}

export const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('base64url').slice(0, 22)

/** Whether this is the file that was read up to a position; of one that was not read yet, the caller knows by its inode. */
export const isFileOf = async (file: FileHandle, size: number, { offset, anchor }: Position): Promise<boolean> =>
  size >= offset && (offset === 0 || (await anchorOf(file, offset)) === anchor)

/** The bytes from an offset on; fewer where the file ends. */
export async function readBytes(file: FileHandle, from: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length)
  let filled = 0
  while (filled < length) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, from + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return bytes.subarray(0, filled)
}
