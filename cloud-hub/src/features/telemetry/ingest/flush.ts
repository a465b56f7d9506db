import type { Rejection } from '@haltless/protocol'
import { dbError, STALE_CACHE } from '../../../db/errors.ts'
import { pipelined, type TransactionSql } from '../../../db/pools.ts'
import { applySaved, StoredKeys } from '../../../readings/index.ts'
import { SettledMachines } from '../../alerting/evaluation/index.ts'
import { ContextIncomplete, SeriesContextCache, type SeriesLookup, TagsRequired } from '../series/index.ts'
import { FullTenants } from './full-tenants.ts'
import { hasKeys } from './idempotency-keys.ts'
import type { IngestRequest } from './request.ts'
import { type FlushDeps, loadAndWrite, type OpenFlush, tenantsOf, writeCached, writeKeyed } from './write-flush.ts'

/**
 * A flush that fails as stale or incomplete starts again. The second attempt succeeds unless the rules change again in between.
 */
const MAX_TRIES = 5
/** foreign_key_violation: a referenced row, such as a channel, was deleted during this flush */
const OWNER_GONE = '23503'

/**
 * Stores the readings of many requests in one transaction, with everything that their evaluation writes. {@link
 * acquireFlushLocks} documents the order of locks.
 *
 * Without new series and late readings a flush needs two round trips: one loads the context, one sends all writes with the
 * commit. With a cached context it needs one.
 */
export class Flusher {
  readonly #deps: FlushDeps
  readonly #cache: SeriesContextCache
  readonly #keys: StoredKeys
  readonly #settled: SettledMachines
  readonly #fullTenants = new FullTenants()
  /** tenants that have, or had, confirmed tag mappings */
  readonly #mappedTenants = new Set<string>()

  constructor(deps: FlushDeps) {
    this.#deps = deps
    this.#cache = new SeriesContextCache(deps.baselineIntervalSeconds)
    this.#keys = new StoredKeys(deps.ingest)
    this.#settled = new SettledMachines(deps.machineOfflineAfterSeconds)
  }

  /** @returns the rejections of each request, by the indexes of that request */
  async flush(requests: readonly IngestRequest[]): Promise<Rejection[][]> {
    let lookup = this.#cache.lookup(requests, this.#mappedTenants)
    let isRepeated = false
    const full = this.#fullTenants.recent()
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#write(requests, lookup, { isRepeated, full })
      } catch (error) {
        this.#cache.delete(lookup)
        if (error instanceof TagsRequired) {
          for (const tenantId of error.tenantIds) this.#mappedTenants.add(tenantId)
          lookup = this.#cache.lookup(requests, this.#mappedTenants)
          continue
        }
        const code = dbError(error)?.code
        isRepeated ||= code === STALE_CACHE
        const isTriedAgain = code === STALE_CACHE || code === OWNER_GONE || error instanceof ContextIncomplete
        if (!isTriedAgain || attempt >= MAX_TRIES) {
          this.#keys.forget(tenantsOf(requests.filter(hasKeys)))
          throw error
        }
        if (error instanceof ContextIncomplete) {
          const found = await error.complete(this.#deps.ingest)
          this.#fullTenants.remember(found)
          for (const [tenantId, limit] of found) full.set(tenantId, limit)
        }
      }
    }
  }

  async #write(
    requests: readonly IngestRequest[],
    lookup: SeriesLookup,
    known: Pick<OpenFlush, 'isRepeated' | 'full'>,
  ): Promise<Rejection[][]> {
    const committed = Promise.withResolvers<void>()
    committed.promise.catch(() => {})
    const { ingest, clock } = this.#deps
    const keyed = requests.filter(hasKeys)
    const tenantKeys = await this.#keys.prepare(
      keyed.map(({ tenantId }) => tenantId),
      clock.now(),
    )
    const open = (tx: TransactionSql): OpenFlush => ({
      tx,
      deps: this.#deps,
      settled: this.#settled,
      requests,
      lookup,
      ...known,
      committed: committed.promise,
    })
    try {
      const cached = this.#cache.get(lookup, clock.now())
      const live = cached && keyed.length === 0 && (await pipelined(ingest, 'begin', async (tx) => writeCached(open(tx), cached)))
      const written =
        live ||
        (await ingest.begin((tx) =>
          keyed.length === 0 ? loadAndWrite(open(tx)) : writeKeyed(open(tx), { stored: this.#keys, tenants: tenantKeys }, cached),
        ))
      committed.resolve()
      if (written.stored) {
        const { saved, statusCheck, rightStatuses } = written.stored
        await applySaved(saved)
        this.#settled.remember(statusCheck, await rightStatuses, clock.now())
      }
      this.#cache.put(lookup, written.after, written.isCached ? cached : null)
      return written.rejections
    } catch (error) {
      committed.reject(error)
      throw error
    }
  }
}
