import { columns } from '../../../db/columns.ts'
import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import type { tagMappings } from '../../../db/tables/tag-mappings.ts'
import { NotFound } from '../../../support/errors.ts'
import type { z } from '../../../support/http/z.ts'
import type { MappingPatch } from './schemas.ts'

export type MappingRow = typeof tagMappings.$inferSelect

const COLUMNS = columns.tagMappings

/** @throws NotFound */
export async function findMapping(scope: TenantScope, { mapping_id }: { mapping_id: string }): Promise<MappingRow> {
  const [row] = await scope.tx(
    (sql) => sql<MappingRow[]>`
      select ${sql.unsafe(COLUMNS)} from tag_mappings where tenant_id = ${scope.tenantId} and id = ${mapping_id}`,
  )
  if (!row) throw new NotFound('tag mapping', mapping_id)
  return row
}

/** The mappings of one machine, by tag. */
export const listMappings = (scope: TenantScope, machineId: string) =>
  scope.tx(
    (sql) => sql<MappingRow[]>`
      select ${sql.unsafe(COLUMNS)} from tag_mappings
      where tenant_id = ${scope.tenantId} and machine_id = ${machineId} order by raw_tag, id`,
  )

/** Locks a mapping until the end of the transaction. */
export const lockMapping = (sql: TransactionSql, { tenantId }: TenantScope, { mapping_id }: { mapping_id: string }) =>
  sql`select 1 from tag_mappings where tenant_id = ${tenantId} and id = ${mapping_id} for no key update`

/** Corrects a mapping. The confidence becomes 1, because a person decided. @throws NotFound */
export async function correctMapping(
  scope: TenantScope,
  mappingId: string,
  values: Partial<z.output<typeof MappingPatch>>,
): Promise<MappingRow> {
  const [row] = await scope.tx(
    (sql) => sql<MappingRow[]>`
      update tag_mappings set ${sql({ ...values, confidence_score: 1, updated_at: scope.clock.now() })}
      where tenant_id = ${scope.tenantId} and id = ${mappingId} returning ${sql.unsafe(COLUMNS)}`,
  )
  if (!row) throw new NotFound('tag mapping', mappingId)
  return row
}

/** @throws NotFound */
export async function confirmMapping(scope: TenantScope, mappingId: string): Promise<MappingRow> {
  const [row] = await scope.tx(
    (sql) => sql<MappingRow[]>`
      update tag_mappings set is_confirmed = true, updated_at = case when is_confirmed then updated_at else ${scope.clock.now()} end
      where tenant_id = ${scope.tenantId} and id = ${mappingId} returning ${sql.unsafe(COLUMNS)}`,
  )
  if (!row) throw new NotFound('tag mapping', mappingId)
  return row
}

/** The number of mappings of each of these machines. Machines of other tenants are missing. */
export const countMappings = (sql: TransactionSql, { tenantId }: TenantScope, machineIds: readonly string[]) =>
  sql<{ id: string; mappings: number }[]>`
    select m.id, (select count(*)::int from tag_mappings t where t.tenant_id = m.tenant_id and t.machine_id = m.id) as mappings
    from machines m where m.tenant_id = ${tenantId} and m.id = any(${machineIds}::uuid[])`

/** A mapping that the hub suggests. */
export interface SuggestedMapping {
  machine_id: string
  raw_tag: string
  name: string
  unit: string
  confidence: number
}

/** Saves suggestions; confirmed mappings stay unchanged. @returns the number of rows written */
export async function saveSuggestions(
  sql: TransactionSql,
  scope: TenantScope,
  all: readonly SuggestedMapping[],
): Promise<number> {
  const now = scope.clock.now()
  const saved = await sql`
    insert into tag_mappings as t (tenant_id, machine_id, raw_tag, standardized_name, unit, confidence_score, created_at, updated_at)
    select ${scope.tenantId}::uuid, m, r, n, u, c, ${now}, ${now}
    from unnest(${all.map((s) => s.machine_id)}::uuid[], ${all.map((s) => s.raw_tag)}::text[], ${all.map((s) => s.name)}::text[],
      ${all.map((s) => s.unit)}::text[], ${all.map((s) => s.confidence)}::float8[]) s(m, r, n, u, c)
    order by m, r
    on conflict (tenant_id, machine_id, raw_tag) do update
      set standardized_name = excluded.standardized_name, unit = excluded.unit, confidence_score = excluded.confidence_score, updated_at = ${now}
      where not t.is_confirmed
    returning 1`
  return saved.length
}

/** Confirmed mappings of these machines for these tags. */
export const confirmedMappings = (
  sql: TransactionSql,
  { tenantId }: TenantScope,
  machineIds: readonly string[],
  tags: readonly string[],
) => sql<MappingRow[]>`
  select ${sql.unsafe(COLUMNS)} from tag_mappings
  where tenant_id = ${tenantId} and machine_id = any(${machineIds}::uuid[]) and is_confirmed and raw_tag = any(${tags}::text[])`
