import { ADVISORY_LOCKS, sharedRulesLock } from '../../../db/advisory-locks.ts'
import type { TransactionSql } from '../../../db/pools.ts'

/** SQLSTATE of a transaction that fails because something cached has changed (migration 0002). */
export const STALE_CACHE = 'HL001'

/**
 * The first statement of a flush. Until the flush ends, no rule of these tenants changes, and `advanceRollups` waits before it trusts that
 * every flush has seen the new `marked_until`. No flush ever waits for the second lock. Sent, not awaited.
 *
 * Every transaction acquires its locks in one order, so that flushes cannot deadlock: rules of a tenant, threshold states, composite states, idempotency
 * keys, readings, latest readings, machines; sorted by key within each.
 */
export function acquireFlushLocks(tx: TransactionSql, tenantIds: readonly string[]): void {
  tx`${sharedRulesLock(tx, [...new Set(tenantIds)])} union all select pg_advisory_xact_lock_shared(${ADVISORY_LOCKS.rollupState}, 0)`.execute()
}

/**
 * Fails the transaction with {@link STALE_CACHE} unless the facts of these tenants have the cached versions, and no reading without a rollup
 * mark is older than `marked_until`. A statement of its own, after {@link acquireFlushLocks}: its snapshot sees what is locked. Sent, not
 * awaited.
 * @param oldest Unix ms of the oldest reading without a rollup mark; Infinity for none
 */
export function assertCacheIsFresh(tx: TransactionSql, versions: ReadonlyMap<string, number>, oldest: number): void {
  tx`
    select case when to_timestamp(${oldest / 1000}) < (select marked_until from rollup_state) or exists (
      select from unnest(${[...versions.keys()]}::uuid[], ${[...versions.values()]}::bigint[]) held(id, version) left join tenants t on t.id = held.id
      where t.facts_version is distinct from held.version
    ) then memory_is_out_of_date() end`.execute()
}
