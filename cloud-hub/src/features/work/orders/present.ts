import type { OrderRow } from './repository.ts'

const iso = (at: Date | null) => at?.toISOString() ?? null

/** As the API shows it. */
export const presentOrder = (row: OrderRow) => ({
  id: row.id,
  machine_id: row.machineId,
  alert_id: row.alertId,
  maintenance_event_id: row.maintenanceEventId,
  title: row.title,
  description: row.description,
  status: row.status,
  priority: row.priority,
  assigned_to: row.assignedTo,
  assignee_ids: row.assigneeIds,
  due_date: iso(row.dueDate),
  completed_at: iso(row.completedAt),
  completion_notes: row.completionNotes,
  signoff_count: row.signoffCount,
  created_by: row.createdBy,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
})
