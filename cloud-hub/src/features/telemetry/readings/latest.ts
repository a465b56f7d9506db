import { and, asc, eq, inArray, type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { PendingQuery, Row } from 'postgres'
import type { Sql, TransactionSql } from '../../../db/pools.ts'
import { owned, type TenantDb, type TenantScope } from '../../../db/scope.ts'
import { latestReadings, series } from '../../../db/tables/readings.ts'

type Fragment = PendingQuery<Row[]>

export interface LatestReading {
  metric: string
  unit: string
  timestamp: Date
  value: number
  rawTag: string | null
}

/** The newest reading of each series of a machine; null when the tenant has no such machine. */
export async function latestOfMachine(tx: TransactionSql, tenantId: string, machineId: string): Promise<LatestReading[] | null> {
  // One statement loads the machine and its readings: a machine without readings returns one row of nulls.
  const rows = await tx<(LatestReading | { metric: null })[]>`
    select l.metric, l.unit, l.timestamp, l.value, l.raw_tag as "rawTag"
    from machines m left join lateral (
      select s.metric, s.unit, l.ts as timestamp, l.value, l.raw_tag from series s join latest_readings l on l.series_id = s.id
      where s.tenant_id = m.tenant_id and s.machine_id = m.id) l on true
    where m.tenant_id = ${tenantId} and m.id = ${machineId} order by l.metric, l.timestamp, l.unit`
  return rows.length === 0 ? null : rows.filter((row): row is LatestReading => row.metric !== null)
}

/** A left join of the newest reading `l` (ts, value, is_anomalous) of a series `s`; nulls for a series without readings. */
export const joinLatest = (tx: TransactionSql): Fragment => tx`left join latest_readings l on l.series_id = s.id`

/** A subquery: the newest instant of all series of a machine; null without readings. */
export const newestOfMachine = (sql: Sql, tenantId: Fragment, machineId: Fragment): Fragment =>
  sql`select max(l.ts) from series s join latest_readings l on l.series_id = s.id where s.tenant_id = ${tenantId} and s.machine_id = ${machineId}`

/** A subquery: the newest instant of all series of a tenant; null without readings. */
export const newestOfTenant = (sql: Sql, tenantId: string): Fragment =>
  sql`select max(l.ts) from latest_readings l join series s on s.id = l.series_id where s.tenant_id = ${tenantId}`

/** A condition: the series `s` has a reading at `since` or later. */
export const hasReadingSince = (sql: Sql, since: Date): Fragment =>
  sql`exists (select from latest_readings l where l.series_id = s.id and l.ts >= ${since})`

/** The newest reading of each series of these metrics of a machine, ascending by time. */
export const latestOfMetrics = (db: TenantDb, scope: TenantScope, machineId: string, metrics: string[]) =>
  db
    .select({ metric: series.metric, unit: series.unit, timestamp: latestReadings.ts, value: latestReadings.value })
    .from(series)
    .innerJoin(latestReadings, eq(latestReadings.seriesId, series.id))
    .where(and(owned(series, scope), eq(series.machineId, machineId), inArray(series.metric, metrics)))
    .orderBy(asc(latestReadings.ts), asc(series.unit))

/**
 * The newest readings that some transactions wrote.
 * @param written the condition on the table's `xmin`
 * @param machineIds null for all
 */
export const latestWritten = (
  db: TenantDb,
  scope: TenantScope,
  written: (table: PgTable) => SQL,
  machineIds: readonly string[] | null,
  max: number,
) =>
  db
    .select({
      xid: sql<string>`${latestReadings}.xmin::text`,
      machineId: series.machineId,
      metric: series.metric,
      unit: series.unit,
      ts: latestReadings.ts,
      value: latestReadings.value,
      rawTag: latestReadings.rawTag,
    })
    .from(series)
    .innerJoin(latestReadings, eq(latestReadings.seriesId, series.id))
    .where(
      and(
        owned(series, scope),
        machineIds ? sql`${series.machineId} = any(${`{${machineIds.join()}}`}::text::uuid[])` : undefined,
        written(latestReadings),
      ),
    )
    .limit(max)
