import type { Rejection } from '@haltless/protocol'
import type { Sql, TransactionSql } from '../../db/pools.ts'
import type { Clock } from '../../support/clock.ts'
import type { ReadingStore, StoredReading } from '../readings/index.ts'
import { lockRulesShared } from '../rules/index.ts'
import type { Request } from './accept.ts'
import { judgeFlush } from './judge-flush.ts'
import { type ResolvedFlush, resolveSeries, unknownMachines } from './resolve-series.ts'

/** Stores the readings of many requests in one transaction. @returns the rejections of each request, in its own indexes */
export type Flush = (requests: readonly Request[]) => Promise<Rejection[][]>

export interface FlushDeps {
  ingest: Sql
  clock: Clock
  store: ReadingStore
  machineOfflineAfterSeconds: number
}

/**
 * One flush: readings, conditions, alerts, deliveries and machine states commit together. Locks are taken in one order everywhere (rules
 * of a tenant, conditions, keys, readings, latest, machines; sorted by key within each), so that flushes cannot deadlock.
 */
export function createFlush(deps: FlushDeps): Flush {
  return async (requests) => {
    for (const { submission } of requests) await deps.store.prepare(submission.columns.timestamps)
    return deps.ingest.begin(async (tx) => {
      lockRulesShared(
        tx,
        requests.map((r) => r.tenantId),
      ).catch(() => {})
      const resolved = await resolveSeries(tx, requests)
      const rejections = requests.map((request, r) => unknownMachines(request, resolved.places[r] as Int32Array))
      const repeats = await rememberKeys(tx, requests, resolved, deps.clock.now())
      const rows = gather(requests, resolved, repeats)
      if (rows.length > 0) await judgeFlush(tx, deps, resolved.series, rows)
      return rejections
    }) as Promise<Rejection[][]>
  }
}

/** Readings of known machines, sorted by series and time; of equal ones the first to arrive comes first, and stays. */
function gather(
  requests: readonly Request[],
  { series, places }: ResolvedFlush,
  repeats: ReadonlySet<string>,
): (StoredReading & { place: number })[] {
  const rows: (StoredReading & { place: number })[] = []
  requests.forEach(({ tenantId, submission }, r) => {
    const { columns, keys } = submission
    const own = places[r] as Int32Array
    for (let i = 0; i < columns.timestamps.length; i++) {
      const s = columns.seriesIndex[i] as number
      const place = own[s] as number
      if (place === -1) continue
      const key = keys?.[i]
      if (key && repeats.has(`${tenantId} ${key} ${r} ${i}`)) continue
      const found = series[place] as (typeof series)[number]
      rows.push({
        place,
        seriesId: found.seriesId,
        timestamp: columns.timestamps[i] as number,
        value: columns.values[i] as number,
        rawTag: columns.series[s]?.rawTag ?? null,
      })
    }
  })
  return rows.sort((a, b) => a.seriesId - b.seriesId || a.timestamp - b.timestamp)
}

/**
 * Notes the idempotency keys of a flush for 7 days.
 * @returns which readings repeat a key, as `tenant key request place`: they count as accepted and are not stored
 */
async function rememberKeys(
  tx: TransactionSql,
  requests: readonly Request[],
  { places }: ResolvedFlush,
  now: Date,
): Promise<Set<string>> {
  const firstUse = new Map<string, { tenantId: string; key: string; use: string }>()
  const repeats = new Set<string>()
  requests.forEach(({ tenantId, submission }, r) => {
    submission.keys?.forEach((key, i) => {
      if (!key || places[r]?.[submission.columns.seriesIndex[i] as number] === -1) return
      const use = `${tenantId} ${key} ${r} ${i}`
      if (firstUse.has(`${tenantId} ${key}`)) repeats.add(use)
      else firstUse.set(`${tenantId} ${key}`, { tenantId, key, use })
    })
  })
  if (firstUse.size === 0) return repeats
  const all = [...firstUse.values()]
  const stored = await tx<{ name: string }[]>`
    insert into reading_keys (tenant_id, key, seen_at)
    select t, k, ${now} from unnest(${all.map((a) => a.tenantId)}::uuid[], ${all.map((a) => a.key)}::uuid[]) n(t, k) order by 1, 2
    on conflict do nothing returning tenant_id || ' ' || key as name`
  const fresh = new Set(stored.map((row) => row.name))
  for (const [name, { use }] of firstUse) if (!fresh.has(name)) repeats.add(use)
  return repeats
}
