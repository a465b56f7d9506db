import { dbError, isLocked } from '../../../db/errors.ts'
import type { Sql } from '../../../db/pools.ts'

const DAY_MS = 86_400_000
/** A partition is kept for this long after it was made, however old its readings: an import that is repeated in that time is recognised. */
const NEW_DAYS = 7
const ROWS_AT_ONCE = 10_000

/** Days for which readings, minutes and hours are kept; 0 is for ever. */
export interface Retention {
  rawDays: number
  minuteDays: number
  hourDays: number
}

type Days = 'raw_retention_days' | 'minute_retention_days'

/**
 * Drops what nobody keeps any more. Readings and minutes go as whole partitions, when all tenants are done with them and, for readings, when they
 * are rolled up; hours go row by row, each tenant's by its own rule. Safe in several replicas at once; what is in use is dropped at a later turn.
 */
export async function purgeExpiredReadings(allTenants: Sql, now: Date, hub: Retention): Promise<void> {
  const readings = await allTenants<{ name: string }[]>`
    select name from reading_partitions where upper <= ${await oldestKept(allTenants, now, 'raw_retention_days', hub.rawDays)} and
      created_at < ${new Date(now.getTime() - NEW_DAYS * DAY_MS)} order by lower`
  for (const { name } of readings) await orLater(allTenants`select drop_reading_partition(${name})`)
  const minutes = await allTenants<{ name: string }[]>`
    select name from minute_partitions where upper <= ${await oldestKept(allTenants, now, 'minute_retention_days', hub.minuteDays)} and
      created_at < ${new Date(now.getTime() - NEW_DAYS * DAY_MS)} order by lower`
  for (const { name } of minutes) await orLater(allTenants`select drop_minute_partition(${name})`)
  await dropHours(allTenants, now, hub.hourDays)
}

/** The instant before which no tenant keeps anything. Without tenants it is the hub's own rule. */
async function oldestKept(allTenants: Sql, now: Date, column: Days, hubDays: number): Promise<Date> {
  const [row] = await allTenants<{ days: number; forever: boolean }[]>`
    select coalesce(max(days), ${hubDays}) as days, coalesce(bool_or(days = 0), ${hubDays === 0}) as forever
    from (select coalesce(${allTenants(column)}, ${hubDays}) as days from tenants) kept`
  return row && !row.forever ? new Date(now.getTime() - row.days * DAY_MS) : new Date(-8.64e12)
}

/** undefined_table: another replica has just dropped it */
const GONE = '42P01'

async function orLater(work: Promise<unknown>): Promise<void> {
  await work.catch((error) => {
    if (!isLocked(error) && dbError(error)?.code !== GONE) throw error
  })
}

async function dropHours(allTenants: Sql, now: Date, hubDays: number): Promise<void> {
  const tenants = await allTenants<{ id: string; days: number }[]>`
    select id, days from (select id, coalesce(hour_retention_days, ${hubDays}) as days from tenants) kept where days > 0`
  for (const { id, days } of tenants)
    for (let gone = ROWS_AT_ONCE; gone === ROWS_AT_ONCE; ) {
      const old = new Date(now.getTime() - days * DAY_MS)
      const result = await allTenants`
        delete from rollup_hours where (series_id, ts) in (
          select h.series_id, h.ts from series s join rollup_hours h on h.series_id = s.id and h.ts < ${old} where s.tenant_id = ${id} limit ${ROWS_AT_ONCE})`
      gone = result.count
    }
}
