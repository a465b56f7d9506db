import { readFileSync } from 'node:fs'

/** What SQLite's write-ahead log holds for certain after a power loss. */
export interface WalContent {
  pageSize: number
  /** bytes of the log up to the end of its last commit */
  committedBytes: number
  /** pages of committed frames, by number from 1, ascending */
  pages: readonly number[]
}

const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24

/** Reads a write-ahead log as SQLite does after a crash. Source: sqlite.org/fileformat2.html, 4 */
export function readWal(file: string): WalContent | null {
  const bytes = readFileSync(file)
  if (bytes.length < HEADER_BYTES) return null
  const isBigEndian = (bytes.readUInt32BE(0) & 1) === 1
  const pageSize = bytes.readUInt32BE(8)
  const salts = bytes.subarray(16, 24)
  let sums = checksum([0, 0], bytes.subarray(0, 24), isBigEndian)
  if (sums[0] !== bytes.readUInt32BE(24) || sums[1] !== bytes.readUInt32BE(28)) return null
  const pages = new Set<number>()
  let [committedBytes, uncommitted] = [0, [] as number[]]
  for (let at = HEADER_BYTES; at + FRAME_HEADER_BYTES + pageSize <= bytes.length; at += FRAME_HEADER_BYTES + pageSize) {
    const frame = bytes.subarray(at, at + FRAME_HEADER_BYTES + pageSize)
    if (!frame.subarray(8, 16).equals(salts)) break
    sums = checksum(checksum(sums, frame.subarray(0, 8), isBigEndian), frame.subarray(FRAME_HEADER_BYTES), isBigEndian)
    if (sums[0] !== frame.readUInt32BE(16) || sums[1] !== frame.readUInt32BE(20)) break
    uncommitted.push(frame.readUInt32BE(0))
    if (frame.readUInt32BE(4) === 0) continue
    for (const page of uncommitted) pages.add(page)
    uncommitted = []
    committedBytes = at + frame.length
  }
  return { pageSize, committedBytes, pages: [...pages].sort((a, b) => a - b) }
}

type Sums = readonly [number, number]

function checksum([s0, s1]: Sums, bytes: Buffer, isBigEndian: boolean): Sums {
  let [a, b] = [s0, s1]
  for (let i = 0; i < bytes.length; i += 8) {
    a = (a + (isBigEndian ? bytes.readUInt32BE(i) : bytes.readUInt32LE(i)) + b) >>> 0
    b = (b + (isBigEndian ? bytes.readUInt32BE(i + 4) : bytes.readUInt32LE(i + 4)) + a) >>> 0
  }
  return [a, b]
}
