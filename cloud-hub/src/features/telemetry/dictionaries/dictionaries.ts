import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { deflateRaw, inflateRawSync } from 'node:zlib'
import {
  BatchDictionary,
  BatchError,
  DICTIONARY_BYTES_MAX,
  decodeDictionaryBatch,
  type ReadingBatch,
  readBatchId,
} from '@haltless/protocol'
import type { Sql } from '../../../db/pools.ts'
import type { Clock } from '../../../support/clock.ts'
import { RecentMap } from '../../../support/recent-map.ts'
import { type DictionaryOwner, findDictionaries, saveDictionary } from './repository.ts'

interface Cached {
  dictionaries: readonly BatchDictionary[]
  /** Unix ms */
  loadedAt: number
}

/** Series in the cache of a process, half of which are safe from being dropped. One takes about 350 bytes with its selections. */
const MAX_SERIES = 400_000
/** Bytes of the names of a series; one with longer names counts as several. */
const SERIES_BYTES = 40
/** After this a process asks the database again, which thereby learns that the dictionary is in use. */
const KEPT_MS = 86_400_000

/** An agent announces one after its start and when its series change, seldomer and seldomer. Reading one takes up to 20 ms. */
const ANNOUNCEMENTS_MAX = 30
const ANNOUNCEMENTS_MS = 600_000
/** Agents whose announcements are counted. */
const COUNTED_AGENTS = 20_000

const compress = promisify(deflateRaw)

export const hashDictionary = (bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest()

/**
 * The series dictionaries that agents announced. They are rows that every replica reads, with a cache in each process: a dictionary never changes, so a
 * cached one is right for ever. It is resolved only for the agent that announced it.
 */
export class Dictionaries {
  readonly #allTenants: Sql
  readonly #clock: Clock
  readonly #cache = new RecentMap<Cached>(MAX_SERIES, ({ dictionaries }) =>
    dictionaries.reduce((sum, { count, content }) => sum + Math.max(count, content.length / SERIES_BYTES), 1),
  )
  readonly #announced = new RecentMap<{ since: number; count: number }>(COUNTED_AGENTS, () => 1)
  readonly #loading = new Map<string, Promise<readonly BatchDictionary[]>>()

  constructor(allTenants: Sql, clock: Clock) {
    this.#allTenants = allTenants
    this.#clock = clock
  }

  /** Counts an announcement. @returns false when the agent announces too often: then its message is not worth reading */
  mayAnnounce({ tenantId, agentId }: DictionaryOwner): boolean {
    const key = `${tenantId} ${agentId}`
    const now = this.#clock.now().getTime()
    const known = this.#announced.get(key)
    const isCounted = known !== undefined && now - known.since < ANNOUNCEMENTS_MS
    const { since, count } = isCounted ? known : { since: now, count: 0 }
    this.#announced.set(key, { since, count: count + 1 })
    return count < ANNOUNCEMENTS_MAX
  }

  /** Stores a dictionary for all replicas. @returns false when the hub does not know the agent yet */
  async store(owner: DictionaryOwner, dictionary: BatchDictionary): Promise<boolean> {
    const content = await compress(dictionary.content)
    const row = { name: Buffer.from(dictionary.name), content }
    const isStored = await saveDictionary(this.#allTenants, owner, row, this.#clock.now())
    if (isStored) this.#cache.delete(keyOf(owner, dictionary.reference))
    return isStored
  }

  /**
   * Decodes a batch with the dictionary of its agent that it refers to.
   * @throws BatchError `unknown_dictionary` when the agent announced none of this name, or when it was deleted since
   */
  async decode(owner: DictionaryOwner, reference: string, bytes: Uint8Array): Promise<ReadingBatch> {
    const dictionaries = await this.#find(owner, reference)
    // Names that begin alike are told apart by the checksum of the batch, which covers the whole name.
    for (const [i, dictionary] of dictionaries.entries()) {
      try {
        return decodeDictionaryBatch(bytes, dictionary)
      } catch (error) {
        const isLast = i === dictionaries.length - 1
        if (isLast || !(error instanceof BatchError && error.code === 'damaged')) throw error
      }
    }
    const batchId = readBatchId(bytes)
    throw new BatchError('unknown_dictionary', 'the agent has announced no such dictionary; announce it again', { batchId })
  }

  async #find(owner: DictionaryOwner, reference: string): Promise<readonly BatchDictionary[]> {
    const key = keyOf(owner, reference)
    const now = this.#clock.now()
    const cached = this.#cache.get(key)
    if (cached && now.getTime() - cached.loadedAt < KEPT_MS) return cached.dictionaries
    const loading = this.#loading.get(key) ?? this.#load(owner, reference, now).finally(() => this.#loading.delete(key))
    this.#loading.set(key, loading)
    return loading
  }

  async #load(owner: DictionaryOwner, reference: string, now: Date): Promise<readonly BatchDictionary[]> {
    const contents = await findDictionaries(this.#allTenants, owner, Buffer.from(reference, 'hex'), now)
    const dictionaries = contents.map((content) =>
      BatchDictionary.read(inflateRawSync(content, { maxOutputLength: DICTIONARY_BYTES_MAX }), hashDictionary),
    )
    if (dictionaries.length > 0) this.#cache.set(keyOf(owner, reference), { dictionaries, loadedAt: now.getTime() })
    return dictionaries
  }
}

const keyOf = ({ tenantId, agentId }: DictionaryOwner, reference: string): string => `${tenantId} ${agentId} ${reference}`
