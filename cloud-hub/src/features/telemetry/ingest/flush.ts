import type { Rejection } from '@haltless/protocol'
import { dbError, STALE_CACHE } from '../../../db/errors.ts'
import { pipelined, type Sql, type TransactionSql } from '../../../db/pools.ts'
import type { Clock } from '../../../support/clock.ts'
import {
  type EvaluationPlan,
  evaluateFlush,
  planEvaluation,
  reportingMachines,
  updateMachineStatus,
} from '../../alerting/evaluation/index.ts'
import type { DeliveryWorker } from '../../delivery/notifications/index.ts'
import {
  applySaved,
  type Claimed,
  type ReadingStore,
  type SavedLatest,
  type SeriesSpan,
  type SortedReadings,
} from '../readings/index.ts'
import {
  acquireFlushLocks,
  assertCacheIsFresh,
  type CachedContext,
  ContextIncomplete,
  contextAfter,
  type LoadedContext,
  loadContext,
  lookupOf,
  type ResolvedSlots,
  resolveSlots,
  SeriesContextCache,
  type SeriesLookup,
  TagsRequired,
} from '../series/index.ts'
import { storeIdempotencyKeys } from './idempotency-keys.ts'
import { rejectUnknownMachines } from './rejections.ts'
import type { IngestRequest } from './request.ts'
import { evaluateBaselines, sortReadings } from './sort-readings.ts'

export interface FlushDeps {
  ingest: Sql
  clock: Clock
  store: ReadingStore
  /** how often baselines are recomputed */
  baselineIntervalSeconds: number
  machineOfflineAfterSeconds: number
  /** the delivery worker of this process; null where it has none */
  worker: DeliveryWorker | null
}

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
  /** tenants that have, or had, confirmed tag mappings */
  readonly #mappedTenants = new Set<string>()

  constructor(deps: FlushDeps) {
    this.#deps = deps
    this.#cache = new SeriesContextCache(deps.baselineIntervalSeconds)
  }

  /** @returns the rejections of each request, by the indexes of that request */
  async flush(requests: readonly IngestRequest[]): Promise<Rejection[][]> {
    let lookup = lookupOf(requests, this.#mappedTenants)
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#write(requests, lookup, attempt > 1)
      } catch (error) {
        this.#cache.delete(lookup)
        if (error instanceof TagsRequired) {
          for (const tenantId of error.tenantIds) this.#mappedTenants.add(tenantId)
          lookup = lookupOf(requests, this.#mappedTenants)
          continue
        }
        const code = dbError(error)?.code
        const isRepeated = code === STALE_CACHE || code === OWNER_GONE || error instanceof ContextIncomplete
        if (!isRepeated || attempt >= MAX_TRIES) throw error
        if (error instanceof ContextIncomplete) await error.complete(this.#deps.ingest)
      }
    }
  }

  async #write(requests: readonly IngestRequest[], lookup: SeriesLookup, isRepeated: boolean): Promise<Rejection[][]> {
    const committed = Promise.withResolvers<void>()
    committed.promise.catch(() => {})
    const { ingest, clock } = this.#deps
    const open = (tx: TransactionSql): OpenFlush => ({
      tx,
      deps: this.#deps,
      requests,
      lookup,
      isRepeated,
      committed: committed.promise,
    })
    try {
      const cached = this.#cache.get(lookup, clock.now())
      const live = cached && (await pipelined(ingest, 'begin', async (tx) => writeCached(open(tx), cached)))
      const written = live ?? (await ingest.begin((tx) => loadAndWrite(open(tx))))
      committed.resolve()
      if (written.saved) await applySaved(written.saved)
      this.#cache.put(lookup, written.after, live && cached)
      return written.rejections
    } catch (error) {
      committed.reject(error)
      throw error
    }
  }
}

/** A flush between its BEGIN and its COMMIT. */
interface OpenFlush {
  tx: TransactionSql
  deps: FlushDeps
  requests: readonly IngestRequest[]
  lookup: SeriesLookup
  /** it failed as stale before */
  isRepeated: boolean
  committed: Promise<void>
}

/** The rejections of each request, and the context once the flush has committed. */
interface Written {
  rejections: Rejection[][]
  after: LoadedContext
  /** null: no reading was stored */
  saved: SavedLatest | null
}

/** A context with which the readings of a flush are evaluated and stored. */
interface FlushContext extends LoadedContext {
  /** `facts_version` by tenant, which the transaction asserts; empty where the context was loaded by the transaction itself */
  versions: ReadonlyMap<string, number>
  areCached: boolean
}

/**
 * Writes live readings of cached series in one pipelined transaction.
 * @returns null when some readings are not live; then no statement was sent
 */
function writeCached(flush: OpenFlush, cached: CachedContext): Promise<Written> | null {
  const { tx, deps, requests, lookup } = flush
  if (requests.some(({ submission }) => submission.keys)) return null
  const context = { ...cached, areCached: true }
  const slots = resolveSlots(lookup, context)
  const readings = sortReadings(requests, context.series, slots.slots)
  evaluateBaselines(readings, context)
  const plan = planEvaluation(deps, context, readings)
  if (plan.unclaimed.size > 0) return null
  acquireFlushLocks(tx, [...cached.versions.keys()])
  return write(flush, context, slots, readings, plan, deps.clock.now())
}

async function loadAndWrite(flush: OpenFlush): Promise<Written> {
  const { tx, deps, requests, lookup } = flush
  acquireFlushLocks(
    tx,
    requests.map((r) => r.tenantId),
  )
  const now = deps.clock.now()
  const context = { ...(await loadContext(tx, lookup, now)), versions: new Map(), areCached: false }
  const slots = resolveSlots(lookup, context)
  const repeats = await storeIdempotencyKeys(tx, requests, slots.slots, context, now)
  const readings = sortReadings(requests, context.series, slots.slots, repeats)
  evaluateBaselines(readings, context)
  return write(flush, context, slots, readings, planEvaluation(deps, context, readings), now)
}

/**
 * Evaluates and stores the readings. When all of them are live it awaits no result from the database: a failure fails the
 * transaction.
 */
async function write(
  { tx, deps, requests, isRepeated, committed }: OpenFlush,
  context: FlushContext,
  { slots, first }: ResolvedSlots,
  readings: SortedReadings,
  plan: EvaluationPlan,
  now: Date,
): Promise<Written> {
  const { store, worker, machineOfflineAfterSeconds } = deps
  let claimed: Claimed | null = null
  const claim = async (spans: ReadonlySet<SeriesSpan>) => {
    assertCacheIsFresh(tx, context.versions)
    claimed = spans.size > 0 ? await store.claim(tx, readings, spans) : null
    return claimed
  }
  const transitions = await evaluateFlush(tx, { ...context, deps, plan, now, claim, worker, committed }, readings)
  const rejections = requests.map((request, r) => rejectUnknownMachines(request, slots[r] as readonly number[], context))
  if (readings.spans.length === 0) return { rejections, after: context, saved: null }
  const saved = store.append(tx, readings, claimed, isRepeated)
  updateMachineStatus(tx, now, machineOfflineAfterSeconds, reportingMachines(context.series, readings))
  const after = contextAfter(context, transitions)
  const isRenamed = first.some((of, slot) => of !== slot)
  return { rejections, saved, after: isRenamed ? { ...after, series: first.map((slot) => after.series[slot] ?? null) } : after }
}
