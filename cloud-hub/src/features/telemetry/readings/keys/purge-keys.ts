import type { Sql } from '../../../../db/pools.ts'
import { firstDay, KEY_DAYS } from './tenant-keys.ts'

const AT_ONCE = 10_000

/** Deletes idempotency keys of days that are no longer recognised, and drops their partitions. Safe in several replicas at once. */
export async function purgeKeys(allTenants: Sql, now: Date): Promise<void> {
  const oldest = firstDay(now)
  await allTenants`delete from reading_key_filters where day < ${oldest}`
  await allTenants`delete from reading_key_tail where day < ${oldest}`
  await allTenants`select drop_key_partitions(${oldest})`
  await purgeLegacyKeys(allTenants, now)
}

/** Rows of the version before, 7 days after their first use. */
async function purgeLegacyKeys(allTenants: Sql, now: Date): Promise<void> {
  const old = new Date(now.getTime() - KEY_DAYS * 86_400_000)
  for (let removed = AT_ONCE; removed === AT_ONCE; )
    removed = (
      await allTenants`
        delete from legacy_reading_keys where ctid = any(array(
          select ctid from legacy_reading_keys where seen_at < ${old} limit ${AT_ONCE} for update skip locked))`
    ).count
}
