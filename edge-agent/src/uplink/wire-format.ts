import { createHash, randomUUID } from 'node:crypto'
import {
  BatchDictionary,
  BatchError,
  DICTIONARY_BATCH_VERSION,
  encodeDictionary,
  encodeDictionaryBatch,
  type Receipt,
  type Series,
} from '@haltless/protocol'
import type { ClaimedBatch } from '../buffer/buffer.ts'
import { deflate } from '../support/compression.ts'
import type { Logger } from '../support/logger.ts'
import type { MqttMessage } from './transport.ts'

/** The bytes of a batch, and the dictionary that it refers to; null: it names its series. */
export interface EncodedBatch {
  bytes: Uint8Array
  dictionary: BatchDictionary | null
}

/** A dictionary on its way to the hub, which answers it like a batch. */
export interface Announcement extends MqttMessage {
  dictionary: BatchDictionary
}

/** What every hub reads. */
const NAMED_ONLY: readonly number[] = [1]
/** The same dictionary is announced again after this time at the earliest, and a dictionary is replaced after it, ms. */
const FIRST_WAIT_MS = 10_000
/** Replacing dictionaries may not become the traffic: the wait doubles up to this, ms. */
const MAX_WAIT_MS = 3_600_000
/** So does the wait for an answer, which never comes where a broker drops dictionaries as too large; ms. */
const MAX_ANSWER_WAIT_MS = 600_000

const sha256 = (bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest()

/**
 * How batches cross MQTT: with the names of their series (version 1), or with numbers of a dictionary that the hub has confirmed (version 2). Version 2
 * is used only while the hub announces it, and any refusal of such a batch is answered by sending the readings with names.
 *
 * ```
 * no dictionary -> announced -> confirmed: batches refer to it -> replaced, when batches name series that it lacks
 *                                         -> announced, when the hub does not know it any more
 * ```
 */
export class WireFormat {
  readonly #logger: Logger
  #versions = NAMED_ONLY
  /** what batches refer to: the hub has it */
  #confirmed: BatchDictionary | null = null
  /** what is announced, or is to be announced */
  #next: BatchDictionary | null = null
  #isAnnouncing = false
  /** monotonic ms */
  #announceAt = 0
  #announceWaitMs = FIRST_WAIT_MS
  /** when the dictionary may be replaced, monotonic ms */
  #replaceAt = 0
  #replaceWaitMs = FIRST_WAIT_MS
  /** series of batches that the newest dictionary lacks, by their names */
  #missing = new Map<string, Series>()
  /** numbers of the newest dictionary by names, for series whose objects it does not know */
  #numbers = new Map<string, number>()

  constructor(logger: Logger) {
    this.#logger = logger
  }

  /** The hub said which versions all of its replicas read. */
  hubReads(versions: readonly number[]): void {
    this.#versions = versions
  }

  /** Encodes a batch as short as the hub can read it now. */
  encode(batch: ClaimedBatch): EncodedBatch {
    if (batch.isPolled && this.#versions.includes(DICTIONARY_BATCH_VERSION)) {
      const bytes = this.#encodeNumbered(batch)
      if (bytes) return { bytes, dictionary: this.#confirmed }
    }
    return { bytes: batch.named(), dictionary: null }
  }

  /** The dictionary to announce now, if any. Its answer goes to {@link answered}. @param now monotonic ms */
  announcement(now: number): Announcement | null {
    if (this.#isAnnouncing || !this.#versions.includes(DICTIONARY_BATCH_VERSION)) return null
    if (this.#missing.size > 0 && now >= this.#replaceAt) this.#replace(now)
    const dictionary = this.#next
    if (!dictionary || now < this.#announceAt) return null
    this.#isAnnouncing = true
    this.#announceAt = now + this.#announceWaitMs
    this.#announceWaitMs = Math.min(MAX_ANSWER_WAIT_MS, 2 * this.#announceWaitMs)
    const batchId = randomUUID()
    return { batchId, count: 0, encode: () => encodeDictionary(batchId, dictionary, deflate), dictionary }
  }

  /** An announcement ended. @param receipt null: without an answer */
  answered({ dictionary }: Announcement, receipt: Receipt | null): void {
    this.#isAnnouncing = false
    if (!receipt) return
    if (receipt.refused) {
      this.#logger.warn({ code: receipt.refused.code }, 'the hub took no series dictionary; batches name their series')
      if (receipt.refused.code === 'unknown_version') this.#versions = NAMED_ONLY
      return
    }
    this.#confirmed = dictionary
    this.#announceWaitMs = FIRST_WAIT_MS
    if (this.#next === dictionary) this.#next = null
  }

  /** The hub did not take a batch of this dictionary: it is sent with names, and not one reading is given up. */
  refused(dictionary: BatchDictionary, code: string): void {
    this.#logger.warn({ code, dictionary: dictionary.id }, 'the hub cannot read a batch with numbers; it is sent with names')
    if (code !== 'unknown_dictionary') {
      this.#versions = NAMED_ONLY
      return
    }
    if (this.#confirmed !== dictionary) return
    this.#confirmed = null
    this.#next ??= dictionary
  }

  /** @returns null when no dictionary that the hub has names all of its series */
  #encodeNumbered(batch: ClaimedBatch): Uint8Array | null {
    const columns = batch.columns()
    const dictionary = this.#confirmed
    const newest = this.#next ?? dictionary
    const numbers = newest && this.#numbersOf(newest, columns.series)
    if (!numbers) {
      for (const series of columns.series) this.#missing.set(keyOf(series), series)
      return null
    }
    const own = newest === dictionary ? numbers : dictionary && this.#numbersOf(dictionary, columns.series)
    if (!dictionary || !own) return null
    try {
      return encodeDictionaryBatch(columns, dictionary, own)
    } catch (error) {
      if (error instanceof BatchError) return null
      throw error
    }
  }

  #numbersOf(dictionary: BatchDictionary, series: readonly Series[]): Uint32Array | null {
    const numbers = new Uint32Array(series.length)
    for (const [i, one] of series.entries()) {
      const number = dictionary.numberOf(one) ?? this.#numberByName(dictionary, one)
      if (number === undefined) return null
      numbers[i] = number
    }
    return numbers
  }

  #numberByName(dictionary: BatchDictionary, series: Series): number | undefined {
    const number = this.#numbers.get(keyOf(series))
    // Dictionaries grow at their end, so a number is right for each of them that has it.
    if (number === undefined || number >= dictionary.count) return undefined
    dictionary.alias(series, number)
    return number
  }

  /** Makes a dictionary of the series of the newest one and those that it lacks; of the latter alone when all would be too large. */
  #replace(now: number): void {
    const known = (this.#next ?? this.#confirmed)?.series ?? []
    const missing = [...this.#missing.values()].filter((series) => !this.#numbers.has(keyOf(series)))
    this.#missing = new Map()
    if (now > this.#replaceAt + MAX_WAIT_MS) this.#replaceWaitMs = FIRST_WAIT_MS
    this.#replaceAt = now + this.#replaceWaitMs
    this.#replaceWaitMs = Math.min(MAX_WAIT_MS, 2 * this.#replaceWaitMs)
    const next = this.#make([...known, ...missing]) ?? this.#make(missing)
    if (!next) return
    if (next.count < known.length + missing.length) this.#confirmed = null
    this.#next = next
    this.#announceAt = now
    this.#announceWaitMs = FIRST_WAIT_MS
    this.#numbers = new Map(next.series.map((series, number) => [keyOf(series), number]))
  }

  #make(series: readonly Series[]): BatchDictionary | null {
    try {
      return BatchDictionary.of(series, sha256)
    } catch (error) {
      if (error instanceof BatchError) return null
      throw error
    }
  }
}

const keyOf = ({ machine, metric, unit, rawTag }: Series): string => [machine, metric, unit, rawTag ?? ''].join('\0')
