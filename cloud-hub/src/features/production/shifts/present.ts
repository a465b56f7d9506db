import { versionedBy } from '../../../support/http/record-version.ts'
import type { DefinitionRow } from './definitions.ts'
import type { ShiftLogRow } from './repository.ts'
import { DefinitionPut, LogPatch } from './schemas.ts'

const withDefinitionVersion = versionedBy(DefinitionPut)
export const presentDefinition = (row: DefinitionRow) =>
  withDefinitionVersion({
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

/** The end and status that a person set; null: the log is active, or the hub completed it at its planned end. */
const endOf = ({ status, actualEnd, automaticEnd }: ShiftLogRow) =>
  status === 'active' || (status === 'completed' && actualEnd?.getTime() === automaticEnd?.getTime()) ? null : [status, actualEnd]

const withLogVersion = versionedBy(LogPatch, ['status', 'actual_end'])
/** As the API shows it. */
export const presentLog = (row: ShiftLogRow) =>
  withLogVersion(
    {
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
    },
    endOf(row),
  )
