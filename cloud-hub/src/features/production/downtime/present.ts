import type { RecordRow } from './repository.ts'

/** As the API shows it. */
export const presentRecord = (row: RecordRow) => ({
  id: row.id,
  machine_id: row.machineId,
  machine_name: row.machineName,
  started_at: row.startedAt.toISOString(),
  ended_at: row.endedAt?.toISOString() ?? null,
  duration_minutes: row.endedAt && (row.endedAt.getTime() - row.startedAt.getTime()) / 60_000,
  reason_type: row.reasonType,
  reason_code_id: row.reasonCodeId,
  reason_code: row.code && {
    id: row.code.id,
    code: row.code.code,
    label: row.code.label,
    category: row.code.category,
    oee_loss_category: row.code.oeeLossCategory,
  },
  reason_note: row.reasonNote,
  source: row.source,
  edited_at: row.editedAt?.toISOString() ?? null,
  created_by: row.createdBy,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
})
