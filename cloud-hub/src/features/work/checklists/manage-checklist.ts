import { tenantLockKey } from '../../../db/advisory-locks.ts'
import { columns } from '../../../db/columns.ts'
import { isForeignKeyViolation, isUniqueViolation } from '../../../db/errors.ts'
import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import type { checklists } from '../../../db/tables/maintenance.ts'
import { Conflict, NotFound } from '../../../support/errors.ts'
import type { z } from '../../../support/http/z.ts'
import { type ChecklistCreate, type ChecklistPut, MAX_CHECKLISTS } from './schemas.ts'

export type ChecklistRow = typeof checklists.$inferSelect

const COLUMNS = columns.checklists

/** By name. */
export const listChecklists = (scope: TenantScope): Promise<ChecklistRow[]> =>
  scope.read(
    (sql) => sql<ChecklistRow[]>`
      select ${sql.unsafe(COLUMNS)} from checklists where tenant_id = ${scope.tenantId} order by name collate natural_order, id`,
  )

/** @throws NotFound */
export async function findChecklist(scope: TenantScope, { checklist_id }: { checklist_id: string }): Promise<ChecklistRow> {
  const [row] = await scope.read(
    (sql) => sql<ChecklistRow[]>`
      select ${sql.unsafe(COLUMNS)} from checklists where tenant_id = ${scope.tenantId} and id = ${checklist_id}`,
  )
  if (!row) throw new NotFound('checklist', checklist_id)
  return row
}

/** Locks a checklist until the end of the transaction. */
export const lockChecklist = (sql: TransactionSql, { tenantId }: TenantScope, { checklist_id }: { checklist_id: string }) =>
  sql`select 1 from checklists where tenant_id = ${tenantId} and id = ${checklist_id} for no key update`

const nameTaken = (error: unknown): never => {
  throw isUniqueViolation(error, 'checklists_name_key')
    ? new Conflict('checklist_name_taken', 'Another checklist has this name; choose another.')
    : error
}

/** @throws Conflict for a name that exists, and at the maximum */
export const createChecklist = (scope: TenantScope, given: z.output<typeof ChecklistCreate>): Promise<ChecklistRow> =>
  scope
    .tx(async (sql) => {
      await sql`select pg_advisory_xact_lock(hashtextextended(${tenantLockKey('checklists', scope)}, 0))`
      const [counted] = await sql<{ n: number }[]>`select count(*)::int as n from checklists where tenant_id = ${scope.tenantId}`
      if ((counted?.n ?? 0) >= MAX_CHECKLISTS)
        throw new Conflict('too_many_checklists', `A tenant has at most ${MAX_CHECKLISTS} checklists.`, { limit: MAX_CHECKLISTS })
      const now = scope.clock.now()
      const [row] = await sql<ChecklistRow[]>`
        insert into checklists (tenant_id, name, steps, created_by, created_at, updated_at)
        values (${scope.tenantId}, ${given.name}, ${JSON.stringify(given.steps)}::text::jsonb, ${scope.actor.id}, ${now}, ${now})
        returning ${sql.unsafe(COLUMNS)}`
      return row as ChecklistRow
    })
    .catch(nameTaken)

/** Changes the given fields; work orders that were created from it stay as they are. @throws NotFound, Conflict */
export const changeChecklist = (scope: TenantScope, id: string, given: z.output<typeof ChecklistPut>): Promise<ChecklistRow> =>
  scope
    .tx(async (sql) => {
      const steps = given.steps ? JSON.stringify(given.steps) : null
      const [row] = await sql<ChecklistRow[]>`
        update checklists set name = coalesce(${given.name ?? null}, name), steps = coalesce(${steps}::text::jsonb, steps),
          updated_at = ${scope.clock.now()}
        where tenant_id = ${scope.tenantId} and id = ${id}
        returning ${sql.unsafe(COLUMNS)}`
      if (!row) throw new NotFound('checklist', id)
      return row
    })
    .catch(nameTaken)

/** @throws NotFound, Conflict while a maintenance event uses it */
export async function deleteChecklist(scope: TenantScope, id: string): Promise<void> {
  const [deleted] = await scope
    .tx((sql) => sql`delete from checklists where tenant_id = ${scope.tenantId} and id = ${id} returning id`)
    .catch((error: unknown) => {
      throw isForeignKeyViolation(error, 'maintenance_events_checklist_fk')
        ? new Conflict('checklist_in_use', 'At least one maintenance event uses this checklist.')
        : error
    })
  if (!deleted) throw new NotFound('checklist', id)
}
