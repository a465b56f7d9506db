import {
  type BatchDictionary,
  BatchError,
  DICTIONARY_BATCH_VERSION,
  encodeDictionaryBatch,
  type Receipt,
  type Series,
} from '@haltless/protocol'
import type { ClaimedBatch } from '../buffer/buffer.ts'
import type { Logger } from '../support/logger.ts'
import { type Announcement, FIRST_WAIT_MS, keyOf, SeriesList } from './series-list.ts'

/** The bytes of a batch, and the dictionary that it refers to; null: it names its series. */
export interface EncodedBatch {
  bytes: Uint8Array
  dictionary: BatchDictionary | null
}

/** What every hub reads. */
const NAMED_ONLY: readonly number[] = [1]
/** New dictionaries may not become the traffic: the wait between them doubles up to this, ms. */
const MAX_WAIT_MS = 3_600_000
/** The hub keeps eight dictionaries of an agent; half of them may be shorter ones of these lists. */
const LISTS_MAX = 4

/**
 * How batches cross MQTT: with the names of their series (version 1), or with numbers of a dictionary that the hub has confirmed (version 2). Version 2
 * is used only while the hub announces it, and any refusal of such a batch is answered by sending the readings with names.
 *
 * ```
 * no dictionary -> announced -> confirmed: batches refer to it -> a longer one, when batches name series that it lacks
 *                                         -> announced, when the hub does not know it any more
 * ```
 *
 * When a dictionary is full, further series begin another.
 */
export class WireFormat {
  readonly #logger: Logger
  #versions = NAMED_ONLY
  /** only the last one grows */
  #lists: SeriesList[] = []
  /** the list whose dictionary is on its way */
  #announcing: SeriesList | null = null
  /** when lists may grow, monotonic ms */
  #growAt = 0
  #growWaitMs = FIRST_WAIT_MS
  /** series of batches that no list has, by their names */
  #missing = new Map<string, Series>()

  constructor(logger: Logger) {
    this.#logger = logger
  }

  /** The hub said which versions all of its replicas read. */
  hubReads(versions: readonly number[]): void {
    this.#versions = versions
  }

  /** Encodes a batch as short as the hub can read it now. */
  encode(batch: ClaimedBatch): EncodedBatch {
    const numbered = batch.isPolled && this.#versions.includes(DICTIONARY_BATCH_VERSION) ? this.#encodeNumbered(batch) : null
    return numbered ?? { bytes: batch.named(), dictionary: null }
  }

  /** The dictionary to announce now, if any. Its answer goes to {@link answered}. @param now monotonic ms */
  announcement(now: number): Announcement | null {
    if (this.#announcing || !this.#versions.includes(DICTIONARY_BATCH_VERSION)) return null
    if (this.#missing.size > 0 && now >= this.#growAt) this.#grow(now)
    for (const list of this.#lists) {
      const announcement = list.announcement(now)
      if (!announcement) continue
      this.#announcing = list
      return announcement
    }
    return null
  }

  /** An announcement ended. @param receipt null: without an answer */
  answered({ dictionary }: Announcement, receipt: Receipt | null): void {
    const list = this.#announcing
    this.#announcing = null
    if (!receipt) return
    if (!receipt.refused) {
      list?.confirm(dictionary)
      return
    }
    this.#logger.warn({ code: receipt.refused.code }, 'the hub took no series dictionary; batches name their series')
    if (receipt.refused.code === 'unknown_version') this.#versions = NAMED_ONLY
  }

  /** The hub did not take a batch of this dictionary: it is sent with names, and not one reading is given up. */
  refused(dictionary: BatchDictionary, code: string): void {
    this.#logger.warn({ code, dictionary: dictionary.id }, 'the hub cannot read a batch with numbers; it is sent with names')
    if (code === 'unknown_dictionary') for (const list of this.#lists) list.forget(dictionary)
    else this.#versions = NAMED_ONLY
  }

  /** @returns null when no dictionary that the hub has names all of its series */
  #encodeNumbered(batch: ClaimedBatch): EncodedBatch | null {
    const columns = batch.columns()
    for (const list of this.#lists) {
      const found = list.find(columns.series)
      if (!found) continue
      const { dictionary } = found
      if (!dictionary) return null
      try {
        return { bytes: encodeDictionaryBatch(columns, dictionary, found.numbers), dictionary }
      } catch (error) {
        if (error instanceof BatchError) return null
        throw error
      }
    }
    for (const series of columns.series) this.#missing.set(keyOf(series), series)
    return null
  }

  /** Appends what the lists lack. The oldest list goes when there would be too many: its series may not be sent any more. */
  #grow(now: number): void {
    const missing = [...this.#missing.values()].filter((series) => !this.#lists.some((list) => list.has(series)))
    this.#missing = new Map()
    if (missing.length === 0) return
    if (now > this.#growAt + MAX_WAIT_MS) this.#growWaitMs = FIRST_WAIT_MS
    this.#growAt = now + this.#growWaitMs
    this.#growWaitMs = Math.min(MAX_WAIT_MS, 2 * this.#growWaitMs)
    let rest = this.#lists.at(-1)?.append(missing, now) ?? missing
    for (let made = 0; rest.length > 0 && made < LISTS_MAX; made++) {
      const list = new SeriesList()
      const left = list.append(rest, now)
      // a series that fits into no dictionary may not take the place of the lists of others
      if (left.length === rest.length) return
      rest = left
      this.#lists = [...this.#lists, list].slice(-LISTS_MAX)
    }
  }
}
