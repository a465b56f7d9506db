import { tenantLockKey } from '../../../db/advisory-locks.ts'
import type { Sql, TransactionSql } from '../../../db/pools.ts'
import { extendLatest } from '../../../readings/index.ts'
import { type OwnLimits, placesOf } from '../../people/limits/index.ts'

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
 * inserted meanwhile, and those of deleted machines, are left out; so are those of tenants that have as many as they may have.
 * @returns the limits of those tenants
 */
export async function createSeries(ingest: Sql, wanted: readonly NewSeries[]): Promise<ReadonlyMap<string, number>> {
  if (wanted.length === 0) return new Map()
  const tenantIds = [...new Set(wanted.map(({ tenantId }) => tenantId))]
  return ingest.begin(async (tx) => {
    // a generic plan would suit tables as small as they were when it was made
    tx`set local plan_cache_mode = force_custom_plan`.execute()
    const locks = tenantIds.map((tenantId) => tenantLockKey('series', { tenantId }))
    tx`select pg_advisory_xact_lock(hashtextextended(key, 0)) from (select key from unnest(${locks}::text[]) key order by 1) keys`.execute()
    // A statement of its own, so that it sees what the holder of the lock has committed.
    const places = await tx<{ tenantId: string; used: number; own: OwnLimits }[]>`
      select t.id as "tenantId", t.limits as own, coalesce(u.used, 0)::float8 as used
      from tenants t left join tenant_usage u on u.tenant_id = t.id and u.kind = 'series' where t.id = any(${tenantIds}::uuid[])`
    const free = new Map(places.map((row) => [row.tenantId, placesOf('series', row)]))
    const made = await insertSeries(tx, wanted, (tenantId) => Math.min(free.get(tenantId)?.free ?? 0, wanted.length))
    await extendLatest(tx, made)
    const counts = Map.groupBy(made, ({ tenantId }) => tenantId)
    const full = [...free].filter(([tenantId, places]) => places.free <= (counts.get(tenantId)?.length ?? 0))
    return new Map(full.map(([tenantId, { limit }]) => [tenantId, limit ?? 0]))
  }) as Promise<Map<string, number>>
}

/** @param freeOf how many series a tenant may get, at most as many as are wanted */
function insertSeries(tx: TransactionSql, wanted: readonly NewSeries[], freeOf: (tenantId: string) => number) {
  const column = (value: (one: NewSeries) => string) => wanted.map(value)
  return tx<{ tenantId: string; machineId: string; id: number; place: number }[]>`
    with missing as materialized (
      select t, m, metric, unit from (
        select k.t, k.m, k.metric, k.unit, k.free, row_number() over (partition by k.t order by min(k.n)) as n
        from unnest(${column((s) => s.tenantId)}::uuid[], ${column((s) => s.machineId)}::uuid[], ${column((s) => s.metric)}::text[],
          ${column((s) => s.unit)}::text[], ${wanted.map(({ tenantId }) => freeOf(tenantId))}::int[]) with ordinality k(t, m, metric, unit, free, n)
        join machines on machines.tenant_id = k.t and machines.id = k.m
        where not exists (select from series s where s.tenant_id = k.t and s.machine_id = k.m and s.metric = k.metric and s.unit = k.unit)
        group by 1, 2, 3, 4, 5
      ) fresh where n <= free
    ), used as materialized (
      select t, m, (select coalesce(max(s.place) + 1, 0) from series s where s.tenant_id = t and s.machine_id = m) as places
      from (select distinct t, m from missing) machines
    )
    insert into series (tenant_id, machine_id, metric, unit, place)
    select t, m, metric, unit, places + row_number() over (partition by t, m order by metric, unit) - 1 from missing join used using (t, m)
    order by 1, 2, 5
    returning tenant_id as "tenantId", machine_id as "machineId", id, place`
}
