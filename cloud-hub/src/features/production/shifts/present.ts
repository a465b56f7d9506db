import type { DefinitionRow } from './definitions.ts'
import type { ShiftLogRow } from './repository.ts'

export const presentDefinition = (row: DefinitionRow) => ({
  id: row.id,
  group_id: row.groupId,
  name: row.name,
  start_time: row.startTime,
  end_time: row.endTime,
  duration_minutes: row.durationMinutes,
  color: row.color,
  is_active: row.isActive,
  sort_order: row.sortOrder,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
})

export const minutesOf = (ms: number): number => Math.round(ms / 600) / 100

/** As the API shows it. */
export const presentLog = (row: ShiftLogRow) => ({
  id: row.id,
  machine_id: row.machineId,
  machine_name: row.machineName,
  shift_definition_id: row.shiftDefinitionId,
  shift_date: row.shiftDate,
  actual_start: row.actualStart.toISOString(),
  actual_end: row.actualEnd?.toISOString() ?? null,
  supervisor: row.supervisor,
  operator_count: row.operatorCount,
  handover_notes: row.handoverNotes,
  status: row.status,
  shift_name: row.shiftName,
  shift_color: row.shiftColor,
  duration_minutes: row.actualEnd && minutesOf(row.actualEnd.getTime() - row.actualStart.getTime()),
  is_automatic: row.automaticEnd !== null,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
})
