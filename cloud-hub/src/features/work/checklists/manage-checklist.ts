import { and, asc, count, eq, sql } from 'drizzle-orm'
import { tenantLockKey } from '../../../db/advisory-locks.ts'
import { isForeignKeyViolation, isUniqueViolation } from '../../../db/errors.ts'
import { first, owned, type TenantScope } from '../../../db/scope.ts'
import { checklists } from '../../../db/tables/maintenance.ts'
import { Conflict, NotFound } from '../../../support/errors.ts'
import type { z } from '../../../support/http/z.ts'
import { type ChecklistCreate, type ChecklistPut, MAX_CHECKLISTS } from './schemas.ts'

export type ChecklistRow = typeof checklists.$inferSelect

const one = (scope: TenantScope, id: string) => and(owned(checklists, scope), eq(checklists.id, id))

/** By name. */
export const listChecklists = (scope: TenantScope): Promise<ChecklistRow[]> =>
  scope.read((db) =>
    db
      .select()
      .from(checklists)
      .where(owned(checklists, scope))
      .orderBy(sql`${checklists.name} collate "und-x-icu"`, asc(checklists.id)),
  )

/** @throws NotFound */
export async function findChecklist(scope: TenantScope, { checklist_id }: { checklist_id: string }): Promise<ChecklistRow> {
  const row = await scope.read((db) => db.select().from(checklists).where(one(scope, checklist_id)).then(first))
  if (!row) throw new NotFound('checklist', checklist_id)
  return row
}

const nameTaken = (error: unknown): never => {
  throw isUniqueViolation(error, 'checklists_name_key')
    ? new Conflict('checklist_name_taken', 'Another checklist has this name; choose another.')
    : error
}

/** @throws Conflict for a name that exists, and at the maximum */
export const createChecklist = (scope: TenantScope, given: z.output<typeof ChecklistCreate>): Promise<ChecklistRow> =>
  scope
    .tx(async (db) => {
      await db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${tenantLockKey('checklists', scope)}, 0))`)
      const counted = await db.select({ n: count() }).from(checklists).where(owned(checklists, scope)).then(first)
      if ((counted?.n ?? 0) >= MAX_CHECKLISTS)
        throw new Conflict('too_many_checklists', `A tenant has at most ${MAX_CHECKLISTS} checklists.`, { limit: MAX_CHECKLISTS })
      const now = scope.clock.now()
      const values = { ...given, tenantId: scope.tenantId, createdBy: scope.actor.id, createdAt: now, updatedAt: now }
      const row = await db.insert(checklists).values(values).returning().then(first)
      if (!row) throw new Error('an inserted checklist was not returned')
      return row
    })
    .catch(nameTaken)

/** Changes the given fields; work orders that were created from it stay as they are. @throws NotFound, Conflict */
export const changeChecklist = (scope: TenantScope, id: string, given: z.output<typeof ChecklistPut>): Promise<ChecklistRow> =>
  scope
    .tx(async (db) => {
      const row = await db
        .update(checklists)
        .set({ ...given, updatedAt: scope.clock.now() })
        .where(one(scope, id))
        .returning()
        .then(first)
      if (!row) throw new NotFound('checklist', id)
      return row
    })
    .catch(nameTaken)

/** @throws NotFound, Conflict while a maintenance event uses it */
export async function deleteChecklist(scope: TenantScope, id: string): Promise<void> {
  const deleted = await scope
    .tx((db) => db.delete(checklists).where(one(scope, id)).returning({ id: checklists.id }).then(first))
    .catch((error: unknown) => {
      throw isForeignKeyViolation(error, 'maintenance_events_checklist_fk')
        ? new Conflict('checklist_in_use', 'At least one maintenance event uses this checklist.')
        : error
    })
  if (!deleted) throw new NotFound('checklist', id)
}
