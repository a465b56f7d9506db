import type { Priority } from '../../../db/enums.ts'
import { isUniqueViolation } from '../../../db/errors.ts'
import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { Conflict, fieldError, NotFound, Unprocessable } from '../../../support/errors.ts'
import type { z } from '../../../support/http/z.ts'
import { notifyAssignees } from '../messages/index.ts'
import { insertSteps } from './instructions.ts'
import { checkAssignees, findOrder, type OrderRow, replaceAssignees } from './repository.ts'
import type { OrderCreate } from './schemas.ts'

/** What a new work order consists of. */
export interface NewOrder {
  machineId: string
  alertId?: string | null | undefined
  maintenanceEventId?: string | null | undefined
  title: string
  description?: string | null | undefined
  priority?: Priority | undefined
  assignedTo?: string | null | undefined
  assigneeIds?: readonly string[] | undefined
  dueDate?: Date | null | undefined
}

/** An alert or event has at most one open work order; the second of two concurrent ones fails. */
export const asConflict = (error: unknown): unknown =>
  isUniqueViolation(error, 'work_orders_alert_key') || isUniqueViolation(error, 'work_orders_event_key')
    ? new Conflict('work_order_exists', 'The alert or maintenance event has an open work order already.')
    : error

/** Inserts an open work order and notifies its assignees, in a transaction of the caller, who has checked what it names. */
export async function insertOrder(sql: TransactionSql, scope: TenantScope, order: NewOrder): Promise<OrderRow> {
  const now = scope.clock.now()
  const values = {
    tenant_id: scope.tenantId,
    machine_id: order.machineId,
    alert_id: order.alertId ?? null,
    maintenance_event_id: order.maintenanceEventId ?? null,
    title: order.title,
    description: order.description ?? null,
    priority: order.priority ?? 'medium',
    assigned_to: order.assignedTo ?? null,
    due_date: order.dueDate ?? null,
    created_by: scope.actor.id,
    created_at: now,
    updated_at: now,
  }
  const [row] = await sql<{ id: string }[]>`insert into work_orders ${sql(values)} returning id`
  const { id } = row as { id: string }
  if (order.assigneeIds) await replaceAssignees(sql, scope, id, order.assigneeIds)
  const userIds = [...(order.assignedTo ? [order.assignedTo] : []), ...(order.assigneeIds ?? [])]
  await notifyAssignees(sql, scope.tenantId, now, { kind: 'work_order_assigned', workOrderId: id, userIds })
  return findOrder(sql, scope, id)
}

/** Creates an open work order with instructions, as `plan` says in the same transaction. @throws Conflict `work_order_exists` */
export const createOrderFrom = (
  scope: TenantScope,
  plan: (sql: TransactionSql) => Promise<{ order: NewOrder; steps: readonly { title: string; body: string | null }[] }>,
): Promise<OrderRow> =>
  scope
    .tx(async (sql) => {
      const { order, steps } = await plan(sql)
      const row = await insertOrder(sql, scope, order)
      await insertSteps(sql, scope, row.id, steps)
      return row
    })
    .catch((error) => {
      throw asConflict(error)
    })

/** @throws NotFound for an unknown machine, alert or user; Unprocessable for an alert of another machine; Conflict `work_order_exists` */
export async function createOrder(scope: TenantScope, given: z.output<typeof OrderCreate>): Promise<OrderRow> {
  const create = scope.tx(async (sql) => {
    const [machine] = await sql`select 1 from machines where tenant_id = ${scope.tenantId} and id = ${given.machine_id}`
    if (!machine) throw new NotFound('machine', given.machine_id)
    if (given.alert_id) await checkAlert(sql, scope, given.alert_id, given.machine_id)
    await checkAssignees(sql, scope, {
      'body.assigned_to': given.assigned_to ? [given.assigned_to] : [],
      'body.assignee_ids': given.assignee_ids ?? [],
    })
    return insertOrder(sql, scope, {
      machineId: given.machine_id,
      alertId: given.alert_id,
      title: given.title,
      description: given.description,
      priority: given.priority,
      assignedTo: given.assigned_to,
      assigneeIds: given.assignee_ids,
      dueDate: given.due_date,
    })
  })
  return create.catch((error) => {
    throw asConflict(error)
  })
}

async function checkAlert(sql: TransactionSql, scope: TenantScope, alertId: string, machineId: string): Promise<void> {
  const [alert] = await sql<{ machineId: string }[]>`
    select machine_id as "machineId" from alerts where tenant_id = ${scope.tenantId} and id = ${alertId}`
  if (!alert) throw new NotFound('alert', alertId)
  if (alert.machineId !== machineId) throw new Unprocessable([fieldError('body.alert_id', 'other_machine')])
}
