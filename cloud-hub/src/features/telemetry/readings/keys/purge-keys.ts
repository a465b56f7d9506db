import type { Sql } from '../../../../db/pools.ts'
import { firstDay } from './tenant-keys.ts'

/** Deletes idempotency keys of days that are no longer recognised, and drops their partitions. Safe in several replicas at once. */
export async function purgeKeys(allTenants: Sql, now: Date): Promise<void> {
  const oldest = firstDay(now)
  await allTenants`delete from reading_key_filters where day < ${oldest}`
  await allTenants`delete from reading_key_tail where day < ${oldest}`
  await allTenants`select drop_key_partitions(${oldest})`
}
