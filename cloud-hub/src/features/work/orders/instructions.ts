import { columns } from '../../../db/columns.ts'
import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import type { workOrderInstructions } from '../../../db/tables/attachments.ts'
import { Conflict, fieldError, NotFound, Unprocessable } from '../../../support/errors.ts'
import type { z } from '../../../support/http/z.ts'
import { assertUnsigned, lockOrder } from './repository.ts'
import type { InstructionCreate, InstructionPatch } from './schemas.ts'

export type InstructionRow = typeof workOrderInstructions.$inferSelect

/** Maximum of instructions of a work order, because one response and one certificate list all of them. */
const MAX_INSTRUCTIONS = 200
const COLUMNS = columns.workOrderInstructions

/** By `step_order`, then by creation. */
export const listInstructions = (sql: TransactionSql, scope: TenantScope, workOrderId: string) => sql<InstructionRow[]>`
  select ${sql.unsafe(COLUMNS)} from work_order_instructions
  where tenant_id = ${scope.tenantId} and work_order_id = ${workOrderId} order by step_order, created_at, id`

/** An instruction, with the machine of its work order. @throws NotFound */
export async function findInstruction(
  sql: TransactionSql,
  scope: TenantScope,
  { work_order_id, instruction_id }: { work_order_id: string; instruction_id: string },
): Promise<InstructionRow & { machineId: string }> {
  const [[row], [order]] = await Promise.all([
    sql<InstructionRow[]>`
      select ${sql.unsafe(COLUMNS)} from work_order_instructions
      where tenant_id = ${scope.tenantId} and work_order_id = ${work_order_id} and id = ${instruction_id}`,
    sql<{ machineId: string }[]>`
      select machine_id as "machineId" from work_orders where tenant_id = ${scope.tenantId} and id = ${work_order_id}`,
  ])
  if (!order) throw new NotFound('work order', work_order_id)
  if (!row) throw new NotFound('instruction', instruction_id)
  return { ...row, ...order }
}

/** @throws NotFound; Unprocessable for an attachment of something else */
async function checkAttachment(
  sql: TransactionSql,
  scope: TenantScope,
  workOrderId: string,
  attachmentId: string,
): Promise<void> {
  const [row] = await sql<{ orderId: string | null }[]>`
    select work_order_id as "orderId" from attachments where tenant_id = ${scope.tenantId} and id = ${attachmentId}`
  if (!row) throw new NotFound('attachment', attachmentId)
  if (row.orderId !== workOrderId) throw new Unprocessable([fieldError('body.attachment_id', 'other_work_order')])
}

/** @throws NotFound, Unprocessable; Conflict when the work order is signed or has the maximum of instructions */
export const addInstruction = (
  scope: TenantScope,
  workOrderId: string,
  given: z.output<typeof InstructionCreate>,
): Promise<InstructionRow> =>
  scope.tx(async (sql) => {
    const order = await lockOrder(sql, scope, workOrderId)
    // After the lock, so that no request deletes the attachment meanwhile.
    if (given.attachment_id) await checkAttachment(sql, scope, workOrderId, given.attachment_id)
    assertUnsigned(order)
    const there = await sql`
      select 1 from work_order_instructions where tenant_id = ${scope.tenantId} and work_order_id = ${workOrderId}`
    if (there.length >= MAX_INSTRUCTIONS)
      throw new Conflict('too_many_instructions', `A work order has at most ${MAX_INSTRUCTIONS} instructions.`, {
        limit: MAX_INSTRUCTIONS,
      })
    const now = scope.clock.now()
    const values = {
      tenant_id: scope.tenantId,
      work_order_id: workOrderId,
      step_order: given.step_order,
      title: given.title,
      body: given.body ?? null,
      attachment_id: given.attachment_id ?? null,
      created_by: scope.actor.id,
      created_at: now,
      updated_at: now,
    }
    const [row] = await sql<InstructionRow[]>`
      insert into work_order_instructions ${sql(values)} returning ${sql.unsafe(COLUMNS)}`
    return row as InstructionRow
  })

/** Inserts the steps of a new work order, in their order. */
export async function insertSteps(
  sql: TransactionSql,
  scope: TenantScope,
  workOrderId: string,
  steps: readonly { title: string; body: string | null }[],
): Promise<void> {
  const now = scope.clock.now()
  for (const [i, { title, body }] of steps.entries())
    await sql`
      insert into work_order_instructions (tenant_id, work_order_id, step_order, title, body, created_by, created_at, updated_at)
      values (${scope.tenantId}, ${workOrderId}, ${i + 1}, ${title}, ${body}, ${scope.actor.id}, ${now}, ${now})`
}

/** Changes the given fields; a second tick changes nothing. @throws NotFound, Unprocessable; Conflict when the work order is signed */
export const changeInstruction = (
  scope: TenantScope,
  params: { work_order_id: string; instruction_id: string },
  change: z.output<typeof InstructionPatch>,
): Promise<InstructionRow> =>
  scope.tx(async (sql) => {
    const { work_order_id: workOrderId } = params
    const { is_completed: tick, ...given } = change
    const order = await lockOrder(sql, scope, workOrderId)
    const row = await findInstruction(sql, scope, params)
    const before: Record<string, unknown> = {
      step_order: row.stepOrder,
      title: row.title,
      body: row.body,
      attachment_id: row.attachmentId,
    }
    const altered: Record<string, string | number | Date | null> = Object.fromEntries(
      Object.entries(given).filter(([field, value]) => value !== undefined && value !== before[field]),
    )
    if (altered.attachment_id) await checkAttachment(sql, scope, workOrderId, altered.attachment_id as string)
    const now = scope.clock.now()
    if (tick !== undefined && tick !== (row.completedAt !== null))
      Object.assign(altered, { completed_at: tick ? now : null, completed_by: tick ? scope.actor.id : null })
    if (Object.keys(altered).length === 0) return row
    assertUnsigned(order)
    const [changed] = await sql<InstructionRow[]>`
      update work_order_instructions set ${sql({ ...altered, updated_at: now })}
      where tenant_id = ${scope.tenantId} and id = ${row.id} returning ${sql.unsafe(COLUMNS)}`
    return changed as InstructionRow
  })

/** @throws NotFound; Conflict when the work order is signed */
export const deleteInstruction = (scope: TenantScope, params: { work_order_id: string; instruction_id: string }): Promise<void> =>
  scope.tx(async (sql) => {
    const order = await lockOrder(sql, scope, params.work_order_id)
    await findInstruction(sql, scope, params)
    assertUnsigned(order)
    await sql`delete from work_order_instructions where tenant_id = ${scope.tenantId} and id = ${params.instruction_id}`
  })
