import type { Rejection } from '@haltless/protocol'
import { lockKeys } from '../../../db/advisory-locks.ts'
import type { Sql, TransactionSql } from '../../../db/pools.ts'
import type {
  Claimed,
  ReadingStore,
  SavedLatest,
  SeriesSpan,
  SortedReadings,
  StoredKeys,
  TenantKeys,
} from '../../../readings/index.ts'
import type { Clock } from '../../../support/clock.ts'
import {
  type EvaluationPlan,
  evaluateFlush,
  planEvaluation,
  reportingMachines,
  type SettledMachines,
  type StatusCheck,
  updateMachineStatus,
} from '../../alerting/evaluation/index.ts'
import type { DeliveryWorker } from '../../delivery/notifications/index.ts'
import {
  acquireFlushLocks,
  assertCacheIsFresh,
  type CachedContext,
  contextAfter,
  type LoadedContext,
  loadContext,
  type ResolvedSlots,
  resolveSlots,
  type SeriesLookup,
} from '../series/index.ts'
import { queueCounterChanges } from './counter-changes.ts'
import { hasKeys, storeIdempotencyKeys } from './idempotency-keys.ts'
import { rejectUnstored } from './rejections.ts'
import type { IngestRequest } from './request.ts'
import { queueSignalChanges } from './signal-changes.ts'
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

/** A flush between its BEGIN and its COMMIT. */
export interface OpenFlush {
  tx: TransactionSql
  deps: FlushDeps
  settled: SettledMachines
  requests: readonly IngestRequest[]
  lookup: SeriesLookup
  /** the limits of tenants that get no new series */
  full: ReadonlyMap<string, number>
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
  stored: { saved: SavedLatest; statusCheck: StatusCheck; rightStatuses: Promise<ReadonlySet<string>> } | null
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
export function writeCached(flush: OpenFlush, cached: CachedContext): Promise<Written> | null {
  const prepared = prepare(flush, { ...cached, areCached: true })
  if (prepared.plan.unclaimed.size > 0) return null
  acquireFlushLocks(flush.tx, [...cached.versions.keys()])
  return write(flush, prepared, flush.deps.clock.now())
}

export async function loadAndWrite(flush: OpenFlush): Promise<Written> {
  acquireFlushLocks(flush.tx, tenantsOf(flush.requests))
  const now = flush.deps.clock.now()
  return write(flush, prepare(flush, await load(flush, now)), now)
}

/** Writes readings with idempotency keys: repeats are known before the others are sorted and evaluated. */
export async function writeKeyed(
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
  if (prepared.readings.spans.length === 0 && repeats.length > 0) commitAfterStored(tx)
  if (!cached || prepared.plan.unclaimed.size === 0) return write(flush, prepared, now)
  return write(flush, prepare(flush, await load(flush, now), repeats), now)
}

/**
 * Repeats are answered as stored, but a transaction that writes nothing commits without waiting for a synchronous standby, which may not
 * have them yet. This one writes a record to the WAL, so it waits until the standby has all before it. Sent, not awaited.
 */
function commitAfterStored(tx: TransactionSql): void {
  tx`select pg_logical_emit_message(true, 'haltless', '')`.execute()
}

export const tenantsOf = (requests: readonly IngestRequest[]): string[] => requests.map(({ tenantId }) => tenantId)

const load = async ({ tx, lookup, isRepeated, full }: OpenFlush, now: Date): Promise<FlushContext> => ({
  ...(await loadContext(tx, lookup, now, { areLatestLocked: isRepeated, full })),
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
  { tx, deps, settled, requests, isRepeated, committed }: OpenFlush,
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
  const rejections = requests.map((request, r) => rejectUnstored(request, slots[r] as readonly number[], context))
  if (readings.spans.length === 0) return { rejections, after: context, isCached, stored: null }
  const saved = store.append(tx, readings, claimed, isRepeated)
  queueSignalChanges(tx, context, readings, now)
  queueCounterChanges(tx, context.series, readings)
  const statusCheck = settled.check(reportingMachines(context.series, readings), transitions, now)
  const rightStatuses = updateMachineStatus(tx, now, machineOfflineAfterSeconds, statusCheck.unsettled)
  const after = contextAfter(context, transitions)
  const isRenamed = first?.some((of, slot) => of !== slot)
  return {
    rejections,
    stored: { saved, statusCheck, rightStatuses },
    isCached,
    after: first && isRenamed ? { ...after, series: first.map((slot) => after.series[slot] ?? null) } : after,
  }
}
