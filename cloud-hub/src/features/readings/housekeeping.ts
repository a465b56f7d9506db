import type { Sql } from '../../db/pools.ts'

/** Days ahead for which partitions exist, so that midnight costs a flush nothing. */
const DAYS_AHEAD = 3
const KEY_DAYS = 7
const KEYS_AT_ONCE = 10_000

/** Makes the partitions of the coming days and forgets idempotency keys after 7 days, in pieces. Safe in several replicas at once. */
export async function keepReadingsTidy(allTenants: Sql, now: Date): Promise<void> {
  for (let day = 0; day <= DAYS_AHEAD; day++)
    await allTenants`select ensure_reading_partition(${new Date(now.getTime() + day * 86_400_000)})`
  const old = new Date(now.getTime() - KEY_DAYS * 86_400_000)
  for (;;) {
    const gone = await allTenants`
      delete from reading_keys where ctid = any(array(select ctid from reading_keys where seen_at < ${old} limit ${KEYS_AT_ONCE} for update skip locked))`
    if (gone.count < KEYS_AT_ONCE) return
  }
}
