import { tenantLockKey } from '../../../db/advisory-locks.ts'
import type { Sql, TransactionSql } from '../../../db/pools.ts'
import { extendLatest } from '../../../readings/index.ts'

/** A series of a machine that has none of this name yet. */
export interface NewSeries {
  tenantId: string
  machineId: string
  metric: string
  unit: string
}

/**
 * Inserts series with an entry for their newest reading, in a transaction of its own: it locks rows that a flush locks later. One
 * transaction at a time adds series to a tenant, so each finds its place behind those that exist. Series that another replica has
 * inserted meanwhile, and those of deleted machines, are left out.
 */
export async function createSeries(ingest: Sql, wanted: readonly NewSeries[]): Promise<void> {
  if (wanted.length === 0) return
  await ingest.begin(async (tx) => {
    // a generic plan would suit tables as small as they were when it was made
    tx`set local plan_cache_mode = force_custom_plan`.execute()
    const locks = [...new Set(wanted.map(({ tenantId }) => tenantLockKey('series', { tenantId })))]
    tx`select pg_advisory_xact_lock(hashtextextended(key, 0)) from (select key from unnest(${locks}::text[]) key order by 1) keys`.execute()
    await extendLatest(tx, await insertSeries(tx, wanted))
  })
}

function insertSeries(tx: TransactionSql, wanted: readonly NewSeries[]) {
  const column = (value: (one: NewSeries) => string) => wanted.map(value)
  return tx<{ tenantId: string; machineId: string; id: number; place: number }[]>`
    with missing as materialized (
      select distinct k.t, k.m, k.metric, k.unit
      from unnest(${column((s) => s.tenantId)}::uuid[], ${column((s) => s.machineId)}::uuid[], ${column((s) => s.metric)}::text[],
        ${column((s) => s.unit)}::text[]) k(t, m, metric, unit)
      join machines on machines.tenant_id = k.t and machines.id = k.m
      where not exists (select from series s where s.tenant_id = k.t and s.machine_id = k.m and s.metric = k.metric and s.unit = k.unit)
    ), used as materialized (
      select t, m, (select coalesce(max(s.place) + 1, 0) from series s where s.tenant_id = t and s.machine_id = m) as places
      from (select distinct t, m from missing) machines
    )
    insert into series (tenant_id, machine_id, metric, unit, place)
    select t, m, metric, unit, places + row_number() over (partition by t, m order by metric, unit) - 1 from missing join used using (t, m)
    order by 1, 2, 5
    returning tenant_id as "tenantId", machine_id as "machineId", id, place`
}
