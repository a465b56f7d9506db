import { tenantLockKey } from '../../../db/advisory-locks.ts'
import { columns } from '../../../db/columns.ts'
import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import type { shiftDefinitions } from '../../../db/tables/shifts.ts'
import { Conflict, NotFound } from '../../../support/errors.ts'
import type { z } from '../../../support/http/z.ts'
import { holdsForGroup, lockSites } from '../../plant/machine-groups/index.ts'
import {
  type DefinitionCreate,
  type DefinitionPut,
  type DefinitionQuery,
  MAX_DEFINITIONS,
  MAX_DEFINITIONS_OF_TENANT,
} from './schemas.ts'

export type DefinitionRow = typeof shiftDefinitions.$inferSelect

const DEFAULT_COLOR = '#3B82F6'
const COLUMNS = columns.shiftDefinitions

const minutesOfDay = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5)) + Number(time.slice(6)) / 60

/** Minutes from one local time to another, across midnight where the end is not later; at least 1. */
export const durationOf = (startTime: string, endTime: string): number => {
  const minutes = minutesOfDay(endTime) - minutesOfDay(startTime)
  return Math.max(1, Math.round(minutes > 0 ? minutes : minutes + 1_440))
}

/** By `sort_order`, then by start. Of a group those that hold for it: of all sites, and of the site that it is or is inside of. */
export const listDefinitions = (scope: TenantScope, query: z.output<typeof DefinitionQuery>): Promise<DefinitionRow[]> =>
  scope.read(
    (sql) => sql<DefinitionRow[]>`
      select ${sql.unsafe(COLUMNS)} from shift_definitions
      where tenant_id = ${scope.tenantId} ${query.active_only ? sql`and is_active` : sql``}
        ${holdsForGroup(sql, scope.tenantId, query.group_id)}
      order by sort_order, start_time, id`,
  )

/** @throws NotFound */
export async function findDefinition(
  scope: TenantScope,
  { definition_id: id }: { definition_id: string },
): Promise<DefinitionRow> {
  const [row] = await scope.read(
    (sql) => sql<DefinitionRow[]>`
      select ${sql.unsafe(COLUMNS)} from shift_definitions where tenant_id = ${scope.tenantId} and id = ${id}`,
  )
  if (!row) throw new NotFound('shift definition', id)
  return row
}

/** Locks a definition until the end of the transaction. */
export const lockDefinition = (sql: TransactionSql, scope: TenantScope, { definition_id }: { definition_id: string }) =>
  sql`select 1 from shift_definitions where tenant_id = ${scope.tenantId} and id = ${definition_id} for update`

/** @throws Conflict at the maximum, NotFound and Unprocessable for a group that is no site */
export const createDefinition = (scope: TenantScope, given: z.output<typeof DefinitionCreate>): Promise<DefinitionRow> =>
  scope.tx(async (sql) => {
    const { tenantId } = scope
    await sql`select pg_advisory_xact_lock(hashtextextended(${tenantLockKey('shift_definitions', scope)}, 0))`
    const [counted] = await sql<[{ whole: number; ofGroup: number }]>`
      select count(*)::int as whole, count(*) filter (where group_id is not distinct from ${given.group_id ?? null}::uuid)::int as "ofGroup"
      from shift_definitions where tenant_id = ${tenantId}`
    for (const [n, limit] of [
      [counted.ofGroup, MAX_DEFINITIONS],
      [counted.whole, MAX_DEFINITIONS_OF_TENANT],
    ] as const)
      if (n >= limit)
        throw new Conflict('too_many_shift_definitions', `There are already ${limit} shift definitions, which is the maximum.`, {
          limit,
        })
    if (given.group_id) await lockSites(sql, scope, [{ id: given.group_id, path: 'body.group_id' }])
    const now = scope.clock.now()
    const [row] = await sql<DefinitionRow[]>`
      insert into shift_definitions (tenant_id, group_id, name, start_time, end_time, duration_minutes, color, is_active, sort_order, created_at, updated_at)
      values (${tenantId}, ${given.group_id ?? null}, ${given.name}, ${given.start_time}, ${given.end_time},
        ${given.duration_minutes ?? durationOf(given.start_time, given.end_time)}, ${given.color || DEFAULT_COLOR},
        ${given.is_active ?? true}, ${given.sort_order ?? 0}, ${now}, ${now})
      returning ${sql.unsafe(COLUMNS)}`
    return row as DefinitionRow
  })

/** Changes the given fields. New times without a duration have theirs computed. @throws NotFound, Unprocessable for a group that is no site */
export const changeDefinition = (scope: TenantScope, id: string, given: z.output<typeof DefinitionPut>): Promise<DefinitionRow> =>
  scope.tx(async (sql) => {
    const { tenantId } = scope
    const [old] = await sql<DefinitionRow[]>`
      select ${sql.unsafe(COLUMNS)} from shift_definitions where tenant_id = ${tenantId} and id = ${id} for update`
    if (!old) throw new NotFound('shift definition', id)
    const startTime = given.start_time ?? old.startTime
    const endTime = given.end_time ?? old.endTime
    const hasNewTimes = startTime !== old.startTime || endTime !== old.endTime
    const values = {
      groupId: given.group_id === undefined ? old.groupId : given.group_id,
      name: given.name ?? old.name,
      startTime,
      endTime,
      durationMinutes: given.duration_minutes ?? (hasNewTimes ? durationOf(startTime, endTime) : old.durationMinutes),
      color: given.color === '' ? DEFAULT_COLOR : (given.color ?? old.color),
      isActive: given.is_active ?? old.isActive,
      sortOrder: given.sort_order ?? old.sortOrder,
    }
    if (Object.entries(values).every(([key, value]) => old[key as keyof typeof values] === value)) return old
    if (values.groupId && values.groupId !== old.groupId)
      await lockSites(sql, scope, [{ id: values.groupId, path: 'body.group_id' }])
    const [row] = await sql<DefinitionRow[]>`
      update shift_definitions set group_id = ${values.groupId}, name = ${values.name}, start_time = ${startTime}, end_time = ${endTime},
        duration_minutes = ${values.durationMinutes}, color = ${values.color}, is_active = ${values.isActive},
        sort_order = ${values.sortOrder}, updated_at = ${scope.clock.now()}
      where tenant_id = ${tenantId} and id = ${id}
      returning ${sql.unsafe(COLUMNS)}`
    return row as DefinitionRow
  })
