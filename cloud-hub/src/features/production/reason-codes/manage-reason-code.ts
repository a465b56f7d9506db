import { and, asc, count, eq, sql } from 'drizzle-orm'
import { tenantLockKey } from '../../../db/advisory-locks.ts'
import { isUniqueViolation } from '../../../db/errors.ts'
import { first, owned, type TenantDb, type TenantScope } from '../../../db/scope.ts'
import { reasonCodes } from '../../../db/tables/downtime.ts'
import { Conflict, fieldError, NotFound, Unprocessable } from '../../../support/errors.ts'
import type { z } from '../../../support/http/z.ts'
import { MAX_REASON_CODES, type ReasonCodeCreate, type ReasonCodePut } from './schemas.ts'

export type ReasonCodeRow = typeof reasonCodes.$inferSelect

const one = (scope: TenantScope, id: string) => and(owned(reasonCodes, scope), eq(reasonCodes.id, id))

/** By `sort_order`, then by label. */
export const listReasonCodes = (scope: TenantScope, isActiveOnly: boolean): Promise<ReasonCodeRow[]> =>
  scope.read((db) =>
    db
      .select()
      .from(reasonCodes)
      .where(and(owned(reasonCodes, scope), isActiveOnly ? eq(reasonCodes.isActive, true) : undefined))
      .orderBy(asc(reasonCodes.sortOrder), sql`${reasonCodes.label} collate "und-x-icu"`, asc(reasonCodes.id)),
  )

/** @throws NotFound */
export async function findReasonCode(scope: TenantScope, { code_id }: { code_id: string }): Promise<ReasonCodeRow> {
  const row = await scope.read((db) => db.select().from(reasonCodes).where(one(scope, code_id)).then(first))
  if (!row) throw new NotFound('reason code', code_id)
  return row
}

/** A reason code inside a transaction. @throws NotFound */
export async function loadReasonCode(db: TenantDb, scope: TenantScope, codeId: string) {
  const row = await db.select().from(reasonCodes).where(one(scope, codeId)).then(first)
  if (!row) throw new NotFound('reason code', codeId)
  return row
}

const codeTaken = (error: unknown): never => {
  throw isUniqueViolation(error, 'reason_codes_code_key')
    ? new Conflict('reason_code_taken', 'Another reason code, perhaps an inactive one, has this code; choose another.')
    : error
}

/** Serializes changes of the tree: two concurrent moves could form a cycle that neither sees. */
const lockTree = (db: TenantDb, scope: TenantScope) =>
  db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${tenantLockKey('reason_codes', scope)}, 0))`)

/** @throws NotFound for an unknown parent, Unprocessable for one that is the code itself or lies below it */
async function checkParent(db: TenantDb, scope: TenantScope, codeId: string | null, parentId: string): Promise<void> {
  const ancestors = await db.execute<{ id: string }>(sql`
    with recursive ancestors(id, parent_id) as (
      select id, parent_id from reason_codes where tenant_id = ${scope.tenantId} and id = ${parentId}
      union select r.id, r.parent_id from reason_codes r join ancestors a on r.id = a.parent_id where r.tenant_id = ${scope.tenantId}
    )
    select id from ancestors`)
  if (ancestors.length === 0) throw new NotFound('reason code', parentId)
  if (ancestors.some(({ id }) => id === codeId))
    throw new Unprocessable(
      [fieldError('body.parent_id', 'own_branch', {}, 'is this code itself or one below it')],
      'reason_code_cycle',
    )
}

const columnsOf = (given: z.output<typeof ReasonCodePut>) => ({
  code: given.code,
  label: given.label,
  category: given.category,
  oeeLossCategory: given.oee_loss_category,
  description: given.description,
  parentId: given.parent_id,
  isActive: given.is_active,
  sortOrder: given.sort_order,
})

/** @throws NotFound for an unknown parent, Conflict for a code that exists, and at the maximum */
export const createReasonCode = (scope: TenantScope, given: z.output<typeof ReasonCodeCreate>): Promise<ReasonCodeRow> =>
  scope
    .tx(async (db) => {
      await lockTree(db, scope)
      if (given.parent_id) await checkParent(db, scope, null, given.parent_id)
      const counted = await db.select({ n: count() }).from(reasonCodes).where(owned(reasonCodes, scope)).then(first)
      if ((counted?.n ?? 0) >= MAX_REASON_CODES)
        throw new Conflict(
          'too_many_reason_codes',
          `A tenant has at most ${MAX_REASON_CODES.toLocaleString('en')} reason codes.`,
          { limit: MAX_REASON_CODES },
        )
      const now = scope.clock.now()
      const { code, label, category, oee_loss_category: oeeLossCategory } = given
      const values = { ...columnsOf(given), code, label, category, oeeLossCategory, tenantId: scope.tenantId }
      const row = await db
        .insert(reasonCodes)
        .values({ ...values, createdAt: now, updatedAt: now })
        .returning()
        .then(first)
      if (!row) throw new Error('an inserted reason code was not returned')
      return row
    })
    .catch(codeTaken)

/** Changes the given fields. @throws NotFound, Unprocessable, Conflict */
export const changeReasonCode = (scope: TenantScope, id: string, given: z.output<typeof ReasonCodePut>): Promise<ReasonCodeRow> =>
  scope
    .tx(async (db) => {
      await lockTree(db, scope)
      if (given.parent_id) await checkParent(db, scope, id, given.parent_id)
      const row = await db
        .update(reasonCodes)
        .set({ ...columnsOf(given), updatedAt: scope.clock.now() })
        .where(one(scope, id))
        .returning()
        .then(first)
      if (!row) throw new NotFound('reason code', id)
      return row
    })
    .catch(codeTaken)
