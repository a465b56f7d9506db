import type { Series } from '../reading.ts'
import { BatchError } from './batch-error.ts'
import { ByteReader, ByteWriter } from './bytes.ts'
import { type Runs, wholeRuns } from './layout.ts'
import { readSeries, writeSeries } from './series-table.ts'

/** SHA-256 (FIPS 180-4) of some bytes, 32 bytes. */
export type Sha256 = (bytes: Uint8Array) => Uint8Array

/** Of a dictionary before compression: about 20,000 series of a plant. */
export const DICTIONARY_BYTES_MAX = 1_000_000
/** Short names must not make it expensive to read: a kilobyte of compressed empty ones would be a quarter of a million series. */
export const DICTIONARY_SERIES_MAX = 25_000
/** Bytes of the name of a dictionary: 128 bits of the SHA-256 of its content. */
export const NAME_BYTES = 16
/** So many of them stand in a batch. The checksum of a batch covers the others. */
export const REFERENCE_BYTES = 4

/** Series of a batch that does not name all of its dictionary, and the place of each run among them. */
interface Selection {
  readonly series: readonly Series[]
  readonly places: Uint32Array
}

/** A sender that names other series in every batch must not fill the memory of a hub: selections hold so many runs for each series, or so many in all. */
const SELECTED_PER_SERIES = 4
const SELECTED_MIN = 1_000
/** Objects by which a sender knows one series, on average. */
const ALIASES_MAX = 4

/**
 * Series that batches name by number. A dictionary never changes: another list of series is another dictionary, under another name. Two senders
 * with the same series in the same order have the same dictionary.
 */
export class BatchDictionary {
  readonly series: readonly Series[]
  /** what is hashed: the number of series, and each as in a batch of version 1 */
  readonly content: Uint8Array
  /** the first 16 bytes of the SHA-256 of the content */
  readonly name: Uint8Array
  /** the number of the first series with the same metric and unit, by number */
  readonly #groups: Uint32Array
  /** the number of the first series of the same machine, by number */
  readonly #machines: Uint32Array
  #whole: Runs | undefined
  readonly #numbers = new Map<Series, number>()
  readonly #selections = new Map<string, Selection>()
  /** runs of all selections */
  #selected = 0

  private constructor(content: Uint8Array, series: readonly Series[], sha256: Sha256) {
    this.content = content
    this.series = series
    this.name = sha256(content).slice(0, NAME_BYTES)
    this.#groups = firstsOf(series, ({ metric, unit }) => `${metric}\0${unit}`)
    this.#machines = firstsOf(series, ({ machine }) => machine)
  }

  /** @throws BatchError `too_large` for more than {@link DICTIONARY_BYTES_MAX} or {@link DICTIONARY_SERIES_MAX}, `malformed` for no series, `bad_text` */
  static of(series: readonly Series[], sha256: Sha256): BatchDictionary {
    const out = new ByteWriter()
    out.varint(series.length)
    writeSeries(out, series)
    return BatchDictionary.read(out.written().slice(), sha256)
  }

  /** The dictionary with this content. @throws BatchError */
  static read(content: Uint8Array, sha256: Sha256): BatchDictionary {
    if (content.length > DICTIONARY_BYTES_MAX) throw new BatchError('too_large', 'the dictionary is too large')
    const from = new ByteReader(content)
    const count = from.varint()
    // Every series takes at least four bytes.
    if (count === 0 || count * 4 > from.remaining)
      throw new BatchError('malformed', 'the number of series of the dictionary is wrong')
    if (count > DICTIONARY_SERIES_MAX) throw new BatchError('too_large', 'the dictionary has too many series')
    const series = readSeries(from, count)
    if (from.remaining > 0) throw new BatchError('trailing_bytes', 'bytes are left over after the last series')
    return new BatchDictionary(content, series, sha256)
  }

  /** How many series there are. */
  get count(): number {
    return this.series.length
  }

  /** One reading of every series, in order. */
  get whole(): Runs {
    this.#whole ??= wholeRuns(this.series.length)
    return this.#whole
  }

  /** The name as 32 hexadecimal digits. */
  get id(): string {
    return hexOf(this.name)
  }

  /** What stands in a batch, as 8 hexadecimal digits. */
  get reference(): string {
    return hexOf(this.name.subarray(0, REFERENCE_BYTES))
  }

  /** The number of a series whose very object {@link alias} made known; undefined for others. */
  numberOf(series: Series): number | undefined {
    return this.#numbers.get(series)
  }

  /** Another object with the names of a series that the dictionary has. */
  alias(series: Series, number: number): void {
    if (this.#numbers.size >= ALIASES_MAX * this.count) this.#numbers.clear()
    this.#numbers.set(series, number)
  }

  readonly groupOf = (number: number): number => this.#groups[number] as number
  readonly machineOf = (number: number): number => this.#machines[number] as number

  /** The series of some runs; the same array for the same runs. @param key tells these runs from others */
  select(key: string, numbers: Uint32Array): Selection {
    const known = this.#selections.get(key)
    if (known) return known
    const places = new Map<number, number>()
    const series: Series[] = []
    const selection = {
      places: numbers.map((number) => {
        const place = places.get(number)
        if (place !== undefined) return place
        places.set(number, series.length)
        return series.push(this.series[number] as Series) - 1
      }),
      series,
    }
    this.#selected += numbers.length + 1
    if (this.#selected > Math.max(SELECTED_MIN, SELECTED_PER_SERIES * this.count)) {
      this.#selections.clear()
      this.#selected = numbers.length + 1
    }
    this.#selections.set(key, selection)
    return selection
  }
}

/** For each series the number of the first one with the same key. */
function firstsOf(series: readonly Series[], keyOf: (series: Series) => string): Uint32Array {
  const firsts = new Map<string, number>()
  return Uint32Array.from(series, (one, number) => {
    const key = keyOf(one)
    const first = firsts.get(key)
    if (first !== undefined) return first
    firsts.set(key, number)
    return number
  })
}

export const hexOf = (bytes: Uint8Array): string => {
  let hex = ''
  for (const byte of bytes) hex += byte.toString(16).padStart(2, '0')
  return hex
}
