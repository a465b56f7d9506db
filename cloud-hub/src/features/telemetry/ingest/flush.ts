import type { Rejection } from '@haltless/protocol'
import { lockKeys } from '../../../db/advisory-locks.ts'
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
  StoredKeys,
  type TenantKeys,
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
import { hasKeys, storeIdempotencyKeys } from './idempotency-keys.ts'
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
  readonly #keys: StoredKeys
  /** tenants that have, or had, confirmed tag mappings */
  readonly #mappedTenants = new Set<string>()

  constructor(deps: FlushDeps) {
    this.#deps = deps
    this.#cache = new SeriesContextCache(deps.baselineIntervalSeconds)
    this.#keys = new StoredKeys(deps.ingest)
  }

  /** @returns the rejections of each request, by the indexes of that request */
  async flush(requests: readonly IngestRequest[]): Promise<Rejection[][]> {
    let lookup = lookupOf(requests, this.#mappedTenants)
    let isRepeated = false
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#write(requests, lookup, isRepeated)
      } catch (error) {
        this.#cache.delete(lookup)
        if (error instanceof TagsRequired) {
          for (const tenantId of error.tenantIds) this.#mappedTenants.add(tenantId)
          lookup = lookupOf(requests, this.#mappedTenants)
          continue
        }
        const code = dbError(error)?.code
        isRepeated ||= code === STALE_CACHE
        const isTriedAgain = code === STALE_CACHE || code === OWNER_GONE || error instanceof ContextIncomplete
        if (!isTriedAgain || attempt >= MAX_TRIES) {
          this.#keys.forget(tenantsOf(requests.filter(hasKeys)))
          throw error
        }
        if (error instanceof ContextIncomplete) await error.complete(this.#deps.ingest)
      }
    }
  }

  async #write(requests: readonly IngestRequest[], lookup: SeriesLookup, isRepeated: boolean): Promise<Rejection[][]> {
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
      requests,
      lookup,
      isRepeated,
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
      if (written.saved) await applySaved(written.saved)
      this.#cache.put(lookup, written.after, written.isCached ? cached : null)
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
  /** the flush used the cached context */
  isCached: boolean
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
  const prepared = prepare(flush, { ...cached, areCached: true })
  if (prepared.plan.unclaimed.size > 0) return null
  acquireFlushLocks(flush.tx, [...cached.versions.keys()])
  return write(flush, prepared, flush.deps.clock.now())
}

async function loadAndWrite(flush: OpenFlush): Promise<Written> {
  acquireFlushLocks(flush.tx, tenantsOf(flush.requests))
  const now = flush.deps.clock.now()
  return write(flush, prepare(flush, await load(flush, now)), now)
}

/** Writes readings with idempotency keys: repeats are known before the others are sorted and evaluated. */
async function writeKeyed(
  flush: OpenFlush,
  keys: { stored: StoredKeys; tenants: readonly TenantKeys[] },
  cached: CachedContext | null,
): Promise<Written> {
  const { tx, deps, requests, lookup } = flush
  acquireFlushLocks(tx, tenantsOf(requests))
  lockKeys(tx, tenantsOf(requests.filter(hasKeys)))
  const now = deps.clock.now()
  const context = cached ? { ...cached, areCached: true } : await load(flush, now)
  const repeats = await storeIdempotencyKeys(tx, keys, requests, resolveSlots(lookup, context).slots, context, now)
  const prepared = prepare(flush, context, repeats)
  if (!cached || prepared.plan.unclaimed.size === 0) return write(flush, prepared, now)
  return write(flush, prepare(flush, await load(flush, now), repeats), now)
}

const tenantsOf = (requests: readonly IngestRequest[]): string[] => requests.map(({ tenantId }) => tenantId)

const load = async ({ tx, lookup }: OpenFlush, now: Date): Promise<FlushContext> => ({
  ...(await loadContext(tx, lookup, now)),
  versions: new Map(),
  areCached: false,
})

/** Readings of a flush in order, and the plan of their evaluation. */
interface PreparedFlush {
  context: FlushContext
  resolved: ResolvedSlots
  readings: SortedReadings
  plan: EvaluationPlan
}

/** @param repeats the readings of each request that repeat a key */
function prepare(
  { deps, requests, lookup }: OpenFlush,
  context: FlushContext,
  repeats?: (Set<number> | undefined)[],
): PreparedFlush {
  const resolved = resolveSlots(lookup, context)
  const readings = sortReadings(requests, context.series, resolved.slots, repeats)
  evaluateBaselines(readings, context)
  return { context, resolved, readings, plan: planEvaluation(deps, context, readings) }
}

/**
 * Evaluates and stores the readings. When all of them are live it awaits no result from the database: a failure fails the
 * transaction.
 */
async function write(
  { tx, deps, requests, isRepeated, committed }: OpenFlush,
  { context, resolved, readings, plan }: PreparedFlush,
  now: Date,
): Promise<Written> {
  const { slots, first } = resolved
  const isCached = context.areCached
  const { store, worker, machineOfflineAfterSeconds } = deps
  let claimed: Claimed | null = null
  const claim = async (spans: ReadonlySet<SeriesSpan>) => {
    assertCacheIsFresh(tx, context.versions)
    claimed = spans.size > 0 ? await store.claim(tx, readings, spans) : null
    return claimed
  }
  const transitions = await evaluateFlush(tx, { ...context, deps, plan, now, claim, worker, committed }, readings)
  const rejections = requests.map((request, r) => rejectUnknownMachines(request, slots[r] as readonly number[], context))
  if (readings.spans.length === 0) return { rejections, after: context, isCached, saved: null }
  const saved = store.append(tx, readings, claimed, isRepeated)
  updateMachineStatus(tx, now, machineOfflineAfterSeconds, reportingMachines(context.series, readings))
  const after = contextAfter(context, transitions)
  const isRenamed = first.some((of, slot) => of !== slot)
  return {
    rejections,
    saved,
    isCached,
    after: isRenamed ? { ...after, series: first.map((slot) => after.series[slot] ?? null) } : after,
  }
}
