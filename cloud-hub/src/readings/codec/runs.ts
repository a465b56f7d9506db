import { ByteReader } from './byte-reader.ts'
import { ByteWriter } from './byte-writer.ts'
import { readCompressed, skipCompressed, writeCompressed } from './compressed.ts'
import { CorruptReadings } from './corrupt.ts'
import { POWERS } from './decimals.ts'
import type { Form } from './format.ts'

/** A run takes at most two integers of eight bytes. */
const MAX_RUN_BYTES = 16
const plain = new ByteWriter()

/** Writes integers as runs of equal ones: their number, the first integer, then pairs of a length and the difference to the next integer. */
export function encodeRuns(out: ByteWriter, integers: Float64Array, count: number, runs: number, form: Form): void {
  out.varint(runs)
  if (form === 'hot') writeRuns(out, integers, count)
  else {
    plain.reset()
    writeRuns(plain, integers, count)
    out.varint(plain.length)
    writeCompressed(out, plain.bytes.subarray(0, plain.length))
  }
}

function writeRuns(out: ByteWriter, integers: Float64Array, count: number): void {
  out.zigzag(integers[0] as number)
  for (let i = 1, run = 1; i < count; i++, run++) {
    if (integers[i] === integers[i - 1]) continue
    out.varint(run)
    out.zigzag((integers[i] as number) - (integers[i - 1] as number))
    run = 0
  }
}

export function decodeRuns(input: ByteReader, exponent: number, into: Float64Array, at: number, count: number, form: Form): void {
  const power = POWERS[exponent] as number
  const to = at + count
  const runs = input.count(count)
  const source = form === 'hot' ? input : decompressed(input, runs)
  let [integer, from] = [source.zigzag(), at]
  for (let left = runs; left > 1; left--) {
    const run = source.varint()
    if (run < 1 || run >= to - from) throw new CorruptReadings('a run is too long')
    into.fill(integer / power, from, from + run)
    from += run
    integer += source.zigzag()
  }
  into.fill(integer / power, from, to)
  if (form === 'sealed') source.end()
}

function decompressed(input: ByteReader, runs: number): ByteReader {
  const bytes = Buffer.allocUnsafe(input.count(MAX_RUN_BYTES * runs))
  readCompressed(input, bytes, 0, bytes.length)
  return new ByteReader(bytes)
}

export function skipRuns(input: ByteReader, count: number, form: Form): void {
  const runs = input.count(count)
  if (form === 'sealed') {
    skipCompressed(input, input.count(MAX_RUN_BYTES * runs))
    return
  }
  input.zigzag()
  for (let left = runs; left > 1; left--) {
    input.varint()
    input.zigzag()
  }
}
