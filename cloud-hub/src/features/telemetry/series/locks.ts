import { sharedRulesLock } from '../../../db/advisory-locks.ts'
import type { TransactionSql } from '../../../db/pools.ts'

/**
 * The first statement of a flush. No rule of these tenants changes until the flush ends. Sent, not awaited.
 *
 * Every transaction acquires its locks in one order, so that flushes cannot deadlock: rules of a tenant, its idempotency keys,
 * threshold states, composite states, newest readings (by machine and chunk), machines; sorted by key within each.
 */
export function acquireFlushLocks(tx: TransactionSql, tenantIds: readonly string[]): void {
  sharedRulesLock(tx, [...new Set(tenantIds)]).execute()
}

/**
 * Fails the transaction as stale unless the facts of these tenants have the cached versions. A statement of its own, after
 * {@link acquireFlushLocks}: its snapshot sees what is locked. Sent, not awaited.
 */
export function assertCacheIsFresh(tx: TransactionSql, versions: ReadonlyMap<string, number>): void {
  if (versions.size === 0) return
  tx`
    select case when exists (
      select from unnest(${[...versions.keys()]}::uuid[], ${[...versions.values()]}::bigint[]) held(id, version) left join tenants t on t.id = held.id
      where t.facts_version is distinct from held.version
    ) then raise_stale_cache() end`.execute()
}
