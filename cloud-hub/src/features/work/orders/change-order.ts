import type { WorkOrderStatus } from '../../../db/enums.ts'
import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { Conflict } from '../../../support/errors.ts'
import type { z } from '../../../support/http/z.ts'
import { notifyAssignees } from '../messages/index.ts'
import { asConflict } from './create-order.ts'
import {
  assertUnsigned,
  checkAssignees,
  findOrder,
  lockOrder,
  lockUnsigned,
  type OrderRow,
  replaceAssignees,
} from './repository.ts'
import type { OrderPatch } from './schemas.ts'

/** What may follow a status; the table's declaration draws it. */
const NEXT: Record<WorkOrderStatus, readonly WorkOrderStatus[]> = {
  open: ['in_progress', 'completed', 'cancelled'],
  in_progress: ['open', 'completed', 'cancelled'],
  completed: ['in_progress'],
  cancelled: ['open'],
}

type AlteredColumns = Record<string, string | Date | null>

/** The columns that a change alters, with their new values. */
function alteredColumns(order: OrderRow, change: z.output<typeof OrderPatch>, now: Date): AlteredColumns {
  const given: [column: string, before: unknown, after: string | Date | null | undefined][] = [
    ['title', order.title, change.title],
    ['description', order.description, change.description],
    ['status', order.status, change.status],
    ['priority', order.priority, change.priority],
    ['assigned_to', order.assignedTo, change.assigned_to],
    ['due_date', order.dueDate?.getTime(), change.due_date],
    ['completion_notes', order.completionNotes, change.completion_notes],
  ]
  const differs = (before: unknown, after: unknown) => (before ?? null) !== (after instanceof Date ? after.getTime() : after)
  const altered: AlteredColumns = {}
  for (const [column, before, after] of given) if (after !== undefined && differs(before, after)) altered[column] = after
  if (altered.status) altered.completed_at = altered.status === 'completed' ? now : null
  return altered
}

/**
 * Changes the given fields. A change of nothing is no change, also of a signed work order.
 * @throws NotFound for an unknown work order or user; Unprocessable for a deactivated user; Conflict when it is signed or the status
 * does not follow the present one
 */
export async function changeOrder(
  scope: TenantScope,
  workOrderId: string,
  change: z.output<typeof OrderPatch>,
): Promise<OrderRow> {
  const work = scope.tx(async (sql) => {
    const order = await lockOrder(sql, scope, workOrderId)
    const now = scope.clock.now()
    const altered = alteredColumns(order, change, now)
    const isReassigned = change.assignee_ids !== undefined && change.assignee_ids.join() !== order.assigneeIds.join()
    if (Object.keys(altered).length === 0 && !isReassigned) return order
    const added = newAssignees(order, change)
    await checkAssignees(sql, scope, added)
    assertUnsigned(order)
    checkTransition(order.status, change.status)
    // Streams find changes of assignees by the row of the work order.
    await sql`update work_orders set ${sql({ ...altered, updated_at: now })}
      where tenant_id = ${scope.tenantId} and id = ${workOrderId}`
    if (isReassigned) await replaceAssignees(sql, scope, workOrderId, change.assignee_ids ?? [])
    const userIds = Object.values(added).flat()
    await notifyAssignees(sql, scope.tenantId, now, { kind: 'work_order_assigned', workOrderId, userIds })
    return findOrder(sql, scope, workOrderId)
  })
  return work.catch((error) => {
    throw asConflict(error)
  })
}

/** People who were not assigned before; the others may have been deactivated since. */
function newAssignees(order: OrderRow, change: z.output<typeof OrderPatch>): Record<string, string[]> {
  const before = new Set([order.assignedTo, ...order.assigneeIds])
  const added = (ids: readonly string[]) => ids.filter((id) => !before.has(id))
  return {
    'body.assigned_to': added(change.assigned_to ? [change.assigned_to] : []),
    'body.assignee_ids': added(change.assignee_ids ?? []),
  }
}

function checkTransition(from: WorkOrderStatus, to: WorkOrderStatus | undefined): void {
  if (to === undefined || to === from || NEXT[from].includes(to)) return
  throw new Conflict(
    'transition_not_allowed',
    `A work order that is ${from} cannot become ${to}; it can become ${NEXT[from].join(' or ')}.`,
  )
}

/** Deletes a work order with its instructions, comments, attachments and history. @throws NotFound; Conflict when it is signed */
export const deleteOrder = (scope: TenantScope, workOrderId: string): Promise<void> =>
  scope.tx(async (sql: TransactionSql) => {
    await lockUnsigned(sql, scope, workOrderId)
    await sql`delete from work_orders where tenant_id = ${scope.tenantId} and id = ${workOrderId}`
  })
