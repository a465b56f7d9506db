import type { Sql } from '../../db/pools.ts'
import { purge } from '../../db/purge.ts'
import { firstDay } from './tenant-keys.ts'

/** Deletes idempotency keys of days that are no longer recognised, and drops their partitions. Safe in several replicas at once. */
export async function purgeKeys(allTenants: Sql, now: Date): Promise<void> {
  const oldest = firstDay(now)
  for (const table of ['reading_key_filters', 'reading_key_tail'])
    await purge(allTenants, { table, column: 'day', before: allTenants`${oldest}::date` })
  await allTenants`select drop_key_partitions(${oldest})`
}
