import { versionedBy } from '../../../support/http/record-version.ts'
import type { RecordRow } from './repository.ts'
import { RecordPut } from './schemas.ts'

/** Whether a person may have given the times: those of a record that nobody changed are detection's. */
const isMoved = ({ source, editedAt }: RecordRow): boolean => source === 'manual' || editedAt !== null

const withVersion = versionedBy(RecordPut, ['started_at', 'ended_at'])
/** As the API shows it. */
export const presentRecord = (row: RecordRow) =>
  withVersion(
    {
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
    },
    isMoved(row) ? [row.startedAt, row.endedAt] : null,
  )
