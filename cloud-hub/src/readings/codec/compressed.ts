import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { ByteReader } from './byte-reader.ts'
import type { ByteWriter } from './byte-writer.ts'
import { CorruptReadings } from './corrupt.ts'

/** zstd samples literals from 40 KiB on and then takes near-uniform noise for incompressible. It always tries smaller segments. */
const SEGMENT = 1 << 14
const COMPRESS = { params: { [constants.ZSTD_c_compressionLevel]: 3 } }
/** An altered frame header cannot ask for a larger window than segments need. */
const WINDOW = { [constants.ZSTD_d_windowLogMax]: 14 }

/** Writes bytes as zstd segments, each after its length. Length 0: zstd does not shrink it, so the plain segment follows. */
export function writeCompressed(out: ByteWriter, plain: Buffer): void {
  for (let from = 0; from < plain.length; from += SEGMENT) {
    const segment = plain.subarray(from, from + SEGMENT)
    const packed = zstdCompressSync(segment, COMPRESS)
    const isSmaller = packed.length < segment.length
    out.varint(isSmaller ? packed.length : 0)
    out.append(isSmaller ? packed : segment)
  }
}

/** Reads `count` plain bytes into a buffer, from an offset on. */
export function readCompressed(input: ByteReader, into: Buffer, at: number, count: number): void {
  for (let done = 0; done < count; done += SEGMENT) {
    const length = Math.min(SEGMENT, count - done)
    const packed = input.varint()
    const from = input.skip(packed === 0 ? length : packed)
    const bytes = input.bytes.subarray(from, input.position)
    into.set(packed === 0 ? bytes : decompress(bytes, length), at + done)
  }
}

export function skipCompressed(input: ByteReader, count: number): void {
  for (let done = 0; done < count; done += SEGMENT) {
    const packed = input.varint()
    input.skip(packed === 0 ? Math.min(SEGMENT, count - done) : packed)
  }
}

function decompress(packed: Buffer, length: number): Buffer {
  let plain: Buffer
  try {
    plain = zstdDecompressSync(packed, { chunkSize: Math.max(64, length), maxOutputLength: length, params: WINDOW })
  } catch (error) {
    throw new CorruptReadings('a segment does not decompress', { cause: error })
  }
  if (plain.length !== length) throw new CorruptReadings(`a segment has ${plain.length} bytes, not ${length}`)
  return plain
}
