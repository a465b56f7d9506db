import type { Rejection } from '@haltless/protocol'
import type { Sql, TransactionSql } from '../../db/pools.ts'
import type { Clock } from '../../support/clock.ts'
import { openAlerts } from '../alerts/index.ts'
import { followReadings } from '../machines/index.ts'
import type { DeliveryWorker } from '../notifications/index.ts'
import type { ReadingStore } from '../readings/index.ts'
import { type ConditionKey, lockRulesShared, makeConditions, saveConditions } from '../rules/index.ts'
import type { Request } from './accept.ts'
import { newestByMachine, storeAndJudge } from './judge-flush.ts'
import { lookUp, unknownMachines } from './look-up.ts'
import { sortReadings } from './sort-readings.ts'

/** Stores the readings of many requests in one transaction. @returns the rejections of each request, in its own indexes */
export type Flush = (requests: readonly Request[]) => Promise<Rejection[][]>

export interface FlushDeps {
  ingest: Sql
  clock: Clock
  store: ReadingStore
  machineOfflineAfterSeconds: number
  /** the delivery worker of this process; null where it has none */
  worker: DeliveryWorker | null
}

/** Conditions of rules are made outside; once is enough unless rules come and go at that very moment. */
const MAX_TRIES = 5

class ConditionsMissing extends Error {
  readonly keys: readonly ConditionKey[]
  constructor(keys: readonly ConditionKey[]) {
    super('conditions of rules are missing')
    this.keys = keys
  }
}

/**
 * One flush: readings, conditions, alerts, deliveries and machine states commit together. Locks are taken in one order everywhere (rules
 * of a tenant, conditions, keys, readings, latest, machines; sorted by key within each), so that flushes cannot deadlock.
 *
 * Two round trips when nothing is new and nothing late: what has to be known, then everything that is written together with the commit.
 */
export function createFlush(deps: FlushDeps): Flush {
  return async (requests) => {
    for (const { submission } of requests) await deps.store.prepare(submission.columns.timestamps)
    for (let attempt = 1; ; attempt++) {
      const committed = Promise.withResolvers<void>()
      committed.promise.catch(() => {})
      try {
        const rejections = await deps.ingest.begin((tx) => flushInside(tx, deps, requests, committed.promise))
        committed.resolve()
        return rejections as Rejection[][]
      } catch (error) {
        committed.reject(error)
        if (!(error instanceof ConditionsMissing) || attempt === MAX_TRIES) throw error
        await makeConditions(deps.ingest, error.keys)
      }
    }
  }
}

/** Everything of a flush between its BEGIN and its COMMIT. @returns the rejections of each request */
async function flushInside(tx: TransactionSql, deps: FlushDeps, requests: readonly Request[], committed: Promise<void>) {
  lockRulesShared(
    tx,
    requests.map((r) => r.tenantId),
  ).execute()
  const known = await lookUp(tx, requests)
  if (known.missing.length > 0) throw new ConditionsMissing(known.missing)
  const { series, places } = known
  const now = deps.clock.now()
  const rejections = requests.map((request, r) => unknownMachines(request, places[r] as Int32Array))
  const repeats = await rememberKeys(tx, requests, places, now)
  const readings = sortReadings(requests, series, places, repeats)
  if (readings.spans.length === 0) return rejections

  const { changed, raised, cleared } = await storeAndJudge(tx, deps, known, readings)
  saveConditions(tx, changed)
  const paging = raised.filter((alert) => !alert.isLate)
  const lease = paging.length > 0 ? deps.worker?.lease([...new Set(paging.map((alert) => alert.tenantId))], committed) : undefined
  openAlerts(tx, now, raised, cleared, lease)
  followReadings(tx, now, deps.machineOfflineAfterSeconds, newestByMachine(series, readings))
  return rejections
}

/**
 * Notes the idempotency keys of a flush for 7 days.
 * @returns for each request the indexes of readings that repeat a key: they count as accepted and are not stored
 */
async function rememberKeys(
  tx: TransactionSql,
  requests: readonly Request[],
  places: readonly Int32Array[],
  now: Date,
): Promise<(Set<number> | undefined)[]> {
  const firstUse = new Map<string, { tenantId: string; key: string; r: number; i: number }>()
  const repeats: (Set<number> | undefined)[] = []
  const repeat = (r: number, i: number) => {
    repeats[r] ??= new Set()
    repeats[r].add(i)
  }
  requests.forEach(({ tenantId, submission }, r) => {
    submission.keys?.forEach((key, i) => {
      if (!key || places[r]?.[submission.columns.seriesIndex[i] as number] === -1) return
      const name = `${tenantId} ${key}`
      if (firstUse.has(name)) repeat(r, i)
      else firstUse.set(name, { tenantId, key, r, i })
    })
  })
  if (firstUse.size === 0) return repeats
  const all = [...firstUse.values()]
  const stored = await tx<{ name: string }[]>`
    insert into reading_keys (tenant_id, key, seen_at)
    select t, k, ${now} from unnest(${all.map((a) => a.tenantId)}::uuid[], ${all.map((a) => a.key)}::uuid[]) n(t, k) order by 1, 2
    on conflict do nothing returning tenant_id || ' ' || key as name`
  const fresh = new Set(stored.map((row) => row.name))
  for (const [name, { r, i }] of firstUse) if (!fresh.has(name)) repeat(r, i)
  return repeats
}
