import { versionedBy } from '../../../support/http/record-version.ts'
import type { MaintenanceEventRow } from './repository.ts'
import { EventPut } from './schemas.ts'

const withVersion = versionedBy(EventPut)
/** As the API shows it. */
export const presentEvent = (row: MaintenanceEventRow) =>
  withVersion({
    id: row.id,
    tenant_id: row.tenantId,
    machine_id: row.machineId,
    machine_name: row.machineName,
    title: row.title,
    description: row.description,
    scheduled_start: row.scheduledStart.toISOString(),
    scheduled_end: row.scheduledEnd.toISOString(),
    status: row.status,
    linked_alert_id: row.linkedAlertId,
    assigned_to: row.assignedTo,
    checklist_id: row.checklistId,
    created_by: row.createdBy,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
    recurrence_rule: row.recurrenceRule,
    parent_event_id: row.parentEventId,
  })
