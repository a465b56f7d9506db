import { createHash, randomUUID } from 'node:crypto'
import { BatchDictionary, BatchError, encodeDictionary, type Series } from '@haltless/protocol'
import { deflate } from '../support/compression.ts'
import type { MqttMessage } from './transport.ts'

/** A dictionary on its way to the hub, which answers it like a batch. */
export interface Announcement extends MqttMessage {
  dictionary: BatchDictionary
}

/** The same dictionary is announced again after this time at the earliest, ms. */
export const FIRST_WAIT_MS = 10_000
/** The wait for an answer doubles up to this, ms: none ever comes where a broker drops dictionaries as too large. */
const MAX_ANSWER_WAIT_MS = 600_000

const sha256 = (bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest()

/**
 * Series in the order in which they were first sent. The list grows at its end, and each length is a dictionary. Batches refer to the one
 * that the hub has confirmed, while a longer one is on its way.
 */
export class SeriesList {
  /** what batches refer to: the hub has it */
  #confirmed: BatchDictionary | null = null
  /** what is announced, or is to be announced */
  #next: BatchDictionary | null = null
  /** monotonic ms */
  #announceAt = 0
  #announceWaitMs = FIRST_WAIT_MS
  /** numbers of the series by their names: a series keeps its number while the list grows */
  #numbers = new Map<string, number>()

  has(series: Series): boolean {
    return this.#numbers.has(keyOf(series))
  }

  /**
   * Appends series if all of them fit into a dictionary: what is sent together should stand in one. An empty list takes as many as fit.
   * @param now monotonic ms
   * @returns those that do not fit
   */
  append(series: readonly Series[], now: number): readonly Series[] {
    const known = (this.#next ?? this.#confirmed)?.series ?? []
    let added = series
    let next = dictionaryOf([...known, ...added])
    while (!next && known.length === 0 && added.length > 1) {
      added = added.slice(0, added.length >> 1)
      next = dictionaryOf(added)
    }
    if (!next) return series
    for (const [i, one] of added.entries()) this.#numbers.set(keyOf(one), known.length + i)
    this.#next = next
    this.#announceAt = now
    this.#announceWaitMs = FIRST_WAIT_MS
    return series.slice(added.length)
  }

  /**
   * The numbers of some series, and the confirmed dictionary that has all of them; null: it is not confirmed yet.
   * @returns null when the list lacks one of the series
   */
  find(series: readonly Series[]): { dictionary: BatchDictionary; numbers: Uint32Array } | { dictionary: null } | null {
    const confirmed = this.#confirmed && this.#numbersOf(this.#confirmed, series)
    if (confirmed) return { dictionary: this.#confirmed as BatchDictionary, numbers: confirmed }
    return this.#next && series.every((one) => this.has(one)) ? { dictionary: null } : null
  }

  /** The dictionary to announce now, if any. @param now monotonic ms */
  announcement(now: number): Announcement | null {
    const dictionary = this.#next
    if (!dictionary || now < this.#announceAt) return null
    this.#announceAt = now + this.#announceWaitMs
    this.#announceWaitMs = Math.min(MAX_ANSWER_WAIT_MS, 2 * this.#announceWaitMs)
    const batchId = randomUUID()
    return { batchId, count: 0, encode: () => encodeDictionary(batchId, dictionary, deflate), dictionary }
  }

  /** The hub has this dictionary. */
  confirm(dictionary: BatchDictionary): void {
    this.#confirmed = dictionary
    this.#announceWaitMs = FIRST_WAIT_MS
    if (this.#next === dictionary) this.#next = null
  }

  /** The hub does not know this dictionary any more, so it is announced again. */
  forget(dictionary: BatchDictionary): void {
    if (this.#confirmed !== dictionary) return
    this.#confirmed = null
    this.#next ??= dictionary
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
    if (number === undefined || number >= dictionary.count) return undefined
    dictionary.alias(series, number)
    return number
  }
}

/** @returns null when it would be too large */
function dictionaryOf(series: readonly Series[]): BatchDictionary | null {
  try {
    return BatchDictionary.of(series, sha256)
  } catch (error) {
    if (error instanceof BatchError) return null
    throw error
  }
}

export const keyOf = ({ machine, metric, unit, rawTag }: Series): string => [machine, metric, unit, rawTag ?? ''].join('\0')
