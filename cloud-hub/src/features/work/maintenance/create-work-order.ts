import type { TenantScope } from '../../../db/scope.ts'
import { createOrderFrom, type OrderRow } from '../orders/index.ts'
import { lockEvent } from './repository.ts'

/**
 * Creates the work order of an event: its machine, title, description, assignee, and its alert if it is one of the machine, due at its end, with the steps of its
 * checklist as instructions.
 * @throws NotFound; Conflict `work_order_exists` while the event, or its alert, has an open one
 */
export const createWorkOrder = (scope: TenantScope, eventId: string): Promise<OrderRow> =>
  createOrderFrom(scope, async (sql) => {
    const event = await lockEvent(sql, scope, eventId)
    const [checklist] = await sql<{ steps: { title: string; body: string | null }[] }[]>`
      select steps from checklists where tenant_id = ${scope.tenantId} and id = ${event.checklistId}`
    const [assignee] = await sql<{ id: string }[]>`
      select id from users where tenant_id = ${scope.tenantId} and id = ${event.assignedTo} and is_active`
    const [alert] = await sql<{ id: string }[]>`
      select id from alerts where tenant_id = ${scope.tenantId} and id = ${event.linkedAlertId} and machine_id = ${event.machineId}`
    const letters = [...event.title]
    return {
      order: {
        machineId: event.machineId,
        alertId: alert?.id,
        maintenanceEventId: event.id,
        title: letters.length > 255 ? `${letters.slice(0, 254).join('')}…` : event.title,
        description: event.description,
        assignedTo: assignee?.id,
        dueDate: event.scheduledEnd,
      },
      steps: checklist?.steps ?? [],
    }
  })
