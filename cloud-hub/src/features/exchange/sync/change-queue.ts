import type { OutboundEntity } from '../../../db/enums.ts'
import type { Sql, TransactionSql } from '../../../db/pools.ts'
import type { WorkScope } from '../../../db/scope.ts'

/** Changes that one transaction drains, and records that one portion of a backfill adds. */
const PORTION = 2_000

/**
 * Moves a portion of the change queue to the records of the tenant's connections; changes of tenants without a connection are
 * deleted. A change that is not committed yet is drained later, so changes that commit out of order are never missed.
 * @param tenantId null: all tenants, without the changes that another process drains now
 * @returns how many changes were drained
 */
async function drainPortion(allTenants: TransactionSql, tenantId: string | null): Promise<number> {
  const claimed = tenantId
    ? allTenants`select tenant_id, id from erp_changes where tenant_id = ${tenantId} order by id limit ${PORTION} for update`
    : allTenants`select tenant_id, id from erp_changes order by id limit ${PORTION} for update skip locked`
  const changes = await allTenants<{ tenant: string; entity: string; id: string }[]>`
    with claimed as (${claimed})
    delete from erp_changes c using claimed where c.tenant_id = claimed.tenant_id and c.id = claimed.id
    returning c.tenant_id as tenant, c.entity_type as entity, c.entity_id as id`
  if (changes.length === 0) return 0
  // The connections are locked, so that none is deleted between here and the insert.
  await allTenants`
    with changed as (
      select distinct tenant_id, entity_type, entity_id from unnest(${changes.map(({ tenant }) => tenant)}::uuid[],
        ${changes.map(({ entity }) => entity)}::text[], ${changes.map(({ id }) => id)}::uuid[]) u(tenant_id, entity_type, entity_id)),
    present as materialized (
      select tenant_id, id from erp_connections where tenant_id in (select tenant_id from changed) order by tenant_id, id for key share)
    insert into erp_records (tenant_id, connection_id, entity_type, entity_id)
    select d.tenant_id, c.id, d.entity_type, d.entity_id from changed d join present c on c.tenant_id = d.tenant_id order by 1, 2, 3, 4
    on conflict (tenant_id, connection_id, entity_type, entity_id) do update set is_due = true, version = erp_records.version + 1,
      failures = 0, next_attempt_at = now(), updated_at = now()`
  return changes.length
}

/** Drains what a tenant has committed so far. */
export async function drainTenant(scope: WorkScope): Promise<void> {
  while ((await scope.tx((sql) => drainPortion(sql, scope.tenantId))) >= PORTION);
}

/** Drains the changes of all tenants. Safe in several replicas. @returns how many changes were drained */
export async function drainChanges(allTenants: Sql, isStopping: () => boolean = () => false): Promise<number> {
  for (let count = 0; ; ) {
    const drained = await allTenants.begin((sql) => drainPortion(sql, null))
    count += drained
    if (drained < PORTION || isStopping()) return count
  }
}

const TABLES: Record<OutboundEntity, string> = {
  work_order: 'work_orders',
  production_data: 'shift_logs',
  downtime: 'downtime_records',
}

interface Backfill {
  tenantId: string
  connectionId: string
  entity: OutboundEntity
}

/**
 * Adds a portion of the records that are older than a connection, in the order of their ids. A record that is committed behind the
 * position of the backfill is in the change queue.
 * @returns whether all records have been added
 */
export async function backfillPortion(sql: TransactionSql, { tenantId, connectionId, entity }: Backfill): Promise<boolean> {
  await sql`
    insert into erp_backfills (tenant_id, connection_id, entity_type) values (${tenantId}, ${connectionId}, ${entity})
    on conflict do nothing`
  const [state] = await sql<{ throughId: string | null; isComplete: boolean }[]>`
    select through_id as "throughId", is_complete as "isComplete" from erp_backfills
    where tenant_id = ${tenantId} and connection_id = ${connectionId} and entity_type = ${entity} for update`
  if (!state || state.isComplete) return true
  const ids = await sql<{ id: string }[]>`
    select id from ${sql(TABLES[entity])} where tenant_id = ${tenantId} ${state.throughId ? sql`and id > ${state.throughId}` : sql``}
      ${entity === 'production_data' ? sql`and status = 'completed'` : sql``}
    order by id limit ${PORTION}`
  const isComplete = ids.length < PORTION
  await sql`
    insert into erp_records (tenant_id, connection_id, entity_type, entity_id)
    select ${tenantId}::uuid, ${connectionId}::uuid, ${entity}, id from unnest(${ids.map(({ id }) => id)}::uuid[]) id order by id
    on conflict do nothing`
  await sql`
    update erp_backfills set through_id = ${ids.at(-1)?.id ?? state.throughId}, is_complete = ${isComplete}
    where tenant_id = ${tenantId} and connection_id = ${connectionId} and entity_type = ${entity}`
  return isComplete
}
