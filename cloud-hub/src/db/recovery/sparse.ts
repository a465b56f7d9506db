import { open } from 'node:fs/promises'

const STEP = 8_192
const ZEROS = Buffer.alloc(STEP)

/** The length without the zeros at the end. */
export function usedBytes(bytes: Buffer): number {
  let end = bytes.length
  while (end >= STEP && bytes.subarray(end - STEP, end).equals(ZEROS)) end -= STEP
  while (end > 0 && bytes[end - 1] === 0) end--
  return end
}

/** Writes a new file durably. Zeros at its end take no room on the disk, as in a segment that was switched early. */
export async function writeSparse(file: string, bytes: Buffer): Promise<void> {
  const handle = await open(file, 'w', 0o600)
  try {
    await handle.writeFile(bytes.subarray(0, usedBytes(bytes)))
    await handle.truncate(bytes.length)
    await handle.sync()
  } finally {
    await handle.close()
  }
}
