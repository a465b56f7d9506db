import { tenantLockKey } from '../../../db/advisory-locks.ts'
import { columns } from '../../../db/columns.ts'
import { isUniqueViolation } from '../../../db/errors.ts'
import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { columnValues } from '../../../db/sql.ts'
import type { reasonCodes } from '../../../db/tables/downtime.ts'
import { Conflict, fieldError, NotFound, Unprocessable } from '../../../support/errors.ts'
import type { z } from '../../../support/http/z.ts'
import { MAX_REASON_CODES, type ReasonCodeCreate, type ReasonCodePut } from './schemas.ts'

export type ReasonCodeRow = typeof reasonCodes.$inferSelect

const COLUMNS = columns.reasonCodes

/** By `sort_order`, then by label. */
export const listReasonCodes = (scope: TenantScope, isActiveOnly: boolean): Promise<ReasonCodeRow[]> =>
  scope.read(
    (sql) => sql<ReasonCodeRow[]>`
      select ${sql.unsafe(COLUMNS)} from reason_codes
      where tenant_id = ${scope.tenantId} ${isActiveOnly ? sql`and is_active` : sql``}
      order by sort_order, label collate natural_order, id`,
  )

/** @throws NotFound */
export const findReasonCode = (scope: TenantScope, { code_id }: { code_id: string }): Promise<ReasonCodeRow> =>
  scope.read((sql) => loadReasonCode(sql, scope, code_id))

/** A reason code inside a transaction. @throws NotFound */
export async function loadReasonCode(sql: TransactionSql, scope: TenantScope, codeId: string): Promise<ReasonCodeRow> {
  const [row] = await sql<ReasonCodeRow[]>`
    select ${sql.unsafe(COLUMNS)} from reason_codes where tenant_id = ${scope.tenantId} and id = ${codeId}`
  if (!row) throw new NotFound('reason code', codeId)
  return row
}

const codeTaken = (error: unknown): never => {
  throw isUniqueViolation(error, 'reason_codes_code_key')
    ? new Conflict('reason_code_taken', 'Another reason code, perhaps an inactive one, has this code; choose another.')
    : error
}

/** Serializes changes of the tree: two concurrent moves could form a cycle that neither sees. */
export const lockTree = (sql: TransactionSql, scope: TenantScope) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${tenantLockKey('reason_codes', scope)}, 0))`

/** @throws NotFound for an unknown parent, Unprocessable for one that is the code itself or lies below it */
async function checkParent(sql: TransactionSql, scope: TenantScope, codeId: string | null, parentId: string): Promise<void> {
  const ancestors = await sql<{ id: string }[]>`
    with recursive ancestors(id, parent_id) as (
      select id, parent_id from reason_codes where tenant_id = ${scope.tenantId} and id = ${parentId}
      union select r.id, r.parent_id from reason_codes r join ancestors a on r.id = a.parent_id where r.tenant_id = ${scope.tenantId}
    )
    select id from ancestors`
  if (ancestors.length === 0) throw new NotFound('reason code', parentId)
  if (ancestors.some(({ id }) => id === codeId))
    throw new Unprocessable(
      [fieldError('body.parent_id', 'own_branch', {}, 'is this code itself or one below it')],
      'reason_code_cycle',
    )
}

const columnsOf = (given: z.output<typeof ReasonCodePut>) =>
  columnValues<typeof reasonCodes>({
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
    .tx(async (sql) => {
      await lockTree(sql, scope)
      if (given.parent_id) await checkParent(sql, scope, null, given.parent_id)
      const [counted] = await sql<
        { n: number }[]
      >`select count(*)::int as n from reason_codes where tenant_id = ${scope.tenantId}`
      if ((counted?.n ?? 0) >= MAX_REASON_CODES)
        throw new Conflict(
          'too_many_reason_codes',
          `A tenant has at most ${MAX_REASON_CODES.toLocaleString('en')} reason codes.`,
          { limit: MAX_REASON_CODES },
        )
      const now = scope.clock.now()
      const values = { ...columnsOf(given), tenant_id: scope.tenantId, created_at: now, updated_at: now }
      const [row] = await sql<ReasonCodeRow[]>`insert into reason_codes ${sql(values)} returning ${sql.unsafe(COLUMNS)}`
      return row as ReasonCodeRow
    })
    .catch(codeTaken)

/** Changes the given fields. @throws NotFound, Unprocessable, Conflict */
export const changeReasonCode = (scope: TenantScope, id: string, given: z.output<typeof ReasonCodePut>): Promise<ReasonCodeRow> =>
  scope
    .tx(async (sql) => {
      await lockTree(sql, scope)
      if (given.parent_id) await checkParent(sql, scope, id, given.parent_id)
      const [row] = await sql<ReasonCodeRow[]>`
        update reason_codes set ${sql({ ...columnsOf(given), updated_at: scope.clock.now() })}
        where tenant_id = ${scope.tenantId} and id = ${id}
        returning ${sql.unsafe(COLUMNS)}`
      if (!row) throw new NotFound('reason code', id)
      return row
    })
    .catch(codeTaken)
