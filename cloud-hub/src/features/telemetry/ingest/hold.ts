import { ADVISORY_LOCKS, sharedRulesLock } from '../../../db/advisory-locks.ts'
import type { TransactionSql } from '../../../db/pools.ts'

/**
 * The first thing that a flush does: until it has ended nobody changes the rules of these tenants ({@link sharedRulesLock}), and nobody
 * takes the rollups for as far as it does not see them yet (`rollupState`). Nobody ever waits for the second. Sent and not
 * waited for.
 */
export function hold(tx: TransactionSql, tenantIds: readonly string[]): void {
  tx`${sharedRulesLock(tx, [...new Set(tenantIds)])} union all select pg_advisory_xact_lock_shared(${ADVISORY_LOCKS.rollupState}, 0)`.execute()
}

/**
 * Fails the transaction with OUT_OF_DATE unless the facts of these tenants have the versions that are remembered of them, and readings before `oldest` (Unix
 * ms, Infinity for none) are all that have to be marked for the rollups. A statement of its own, after {@link hold}: a look taken after the lock
 * is one at what is locked. Sent and not waited for.
 */
export function confirm(tx: TransactionSql, versions: ReadonlyMap<string, number>, oldest: number): void {
  tx`
    select case when to_timestamp(${oldest / 1000}) < (select marked_until from rollup_state) or exists (
      select from unnest(${[...versions.keys()]}::uuid[], ${[...versions.values()]}::bigint[]) held(id, version) left join tenants t on t.id = held.id
      where t.facts_version is distinct from held.version
    ) then memory_is_out_of_date() end`.execute()
}
