import type { Series } from '../reading.ts'
import { BatchError } from './batch-error.ts'
import { type ByteReader, type ByteWriter, VARINT_BYTES_MAX } from './bytes.ts'

/** No text of a series is longer on the wire; the limits of single fields are the ingest's business, which refuses by index. */
const TEXT_BYTES_MAX = 4_096

const encoder = new TextEncoder()
// A byte order mark is text like any other: dropping it would return another name than the sent one.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Writes machine, metric, unit and raw tag of every series, each as length + 1 and UTF-8; 0 stands for an absent raw tag. */
export function writeSeries(out: ByteWriter, series: readonly Series[]): void {
  for (const { machine, metric, unit, rawTag } of series) {
    writeText(out, machine)
    writeText(out, metric)
    writeText(out, unit)
    if (rawTag === null) out.varint(0)
    else writeText(out, rawTag)
  }
}

function writeText(out: ByteWriter, text: string): void {
  if (text.includes('\0') || !text.isWellFormed()) throw new BatchError('bad_text', 'text holds NUL or a lone surrogate')
  if (text.length > TEXT_BYTES_MAX) throw new BatchError('too_large', 'a text is too long')
  // also what the length may take: growing behind the text would lose it
  out.reserve(text.length * 3 + VARINT_BYTES_MAX)
  // The length is not known before: one byte is kept for it, which is enough for nearly every name.
  const { written } = encoder.encodeInto(text, out.bytes.subarray(out.length + 1))
  if (written > TEXT_BYTES_MAX) throw new BatchError('too_large', 'a text is too long')
  if (written + 1 >= 0x80) out.bytes.copyWithin(out.length + 2, out.length + 1, out.length + 1 + written)
  out.varint(written + 1)
  out.length += written
}

/** The series of an earlier batch, and the bytes that named them. */
export interface KnownSeries {
  bytes: Uint8Array
  series: readonly Series[]
}

/** Series of recent batches. A sender names the same series in most batches: what is known need not be read, and is the same array. */
export interface SeriesMemory {
  get(key: string): KnownSeries | undefined
  set(key: string, known: KnownSeries): void
}

/** Bytes of a table that tell it from others in a {@link SeriesMemory}; one table is kept for each beginning. */
const KEY_BYTES = 48

/** Reads what {@link writeSeries} wrote. @param memory finds and keeps the tables of recent batches */
export function readSeries(from: ByteReader, count: number, memory?: SeriesMemory): readonly Series[] {
  if (!memory) return readTable(from, count)
  const start = from.position
  const key = `${count} ${String.fromCharCode(...from.bytes.subarray(start, start + KEY_BYTES))}`
  const known = memory.get(key)
  if (known && startsWith(from.bytes, start, known.bytes)) {
    from.position += known.bytes.length
    return known.series
  }
  const series = readTable(from, count)
  memory.set(key, { bytes: from.bytes.slice(start, from.position), series })
  return series
}

function startsWith(bytes: Uint8Array, at: number, expected: Uint8Array): boolean {
  if (bytes.length - at < expected.length) return false
  for (let i = 0; i < expected.length; i++) if (bytes[at + i] !== expected[i]) return false
  return true
}

function readTable(from: ByteReader, count: number): Series[] {
  const series: Series[] = []
  for (let i = 0; i < count; i++) {
    const machine = readText(from)
    const metric = readText(from)
    const unit = readText(from)
    const rawTag = readText(from)
    if (machine === null || metric === null || unit === null) throw new BatchError('malformed', 'a series has no name')
    series.push({ machine, metric, unit, rawTag })
  }
  return series
}

function readText(from: ByteReader): string | null {
  const length = from.varint() - 1
  if (length < 0) return null
  if (length > TEXT_BYTES_MAX) throw new BatchError('too_large', 'a text is too long')
  const bytes = from.take(length)
  if (bytes.includes(0)) throw new BatchError('bad_text', 'text holds NUL')
  try {
    return decoder.decode(bytes)
  } catch (cause) {
    throw new BatchError('bad_text', 'text is not UTF-8', { cause })
  }
}
