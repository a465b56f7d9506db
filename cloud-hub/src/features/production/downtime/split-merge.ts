import type { TenantScope } from '../../../db/scope.ts'
import { Conflict, fieldError, NotFound, Unprocessable } from '../../../support/errors.ts'
import type { z } from '../../../support/http/z.ts'
import { resolveReason, touch } from './change-record.ts'
import { loadRecord, lockRecord, lockRecords, type RecordPath, type RecordRow, updateRecord } from './repository.ts'
import { MAX_MERGE_GAP_MINUTES, type RecordMerge, type RecordSplit } from './schemas.ts'

/**
 * Ends a record at an instant inside it and begins a second one there, with the reason given or that of the first.
 * @returns both parts in their order
 * @throws NotFound, Unprocessable
 */
export const splitRecord = (scope: TenantScope, path: RecordPath, given: z.output<typeof RecordSplit>): Promise<RecordRow[]> =>
  scope.tx(async (sql) => {
    const row = await lockRecord(sql, scope, path)
    const now = scope.clock.now()
    if (given.at <= row.startedAt || given.at >= (row.endedAt ?? now))
      throw new Unprocessable([fieldError('body.at', 'outside_record')])
    const reason = await resolveReason(sql, scope, given, row)
    // The first part ends before the second is inserted: at most one of them is ongoing.
    const touched = touch(row, now)
    await updateRecord(sql, scope, path, { ended_at: given.at, ...touched })
    const note = given.reason_note === undefined ? row.reasonNote : given.reason_note
    const [second] = await sql<{ id: string }[]>`
      insert into downtime_records (tenant_id, machine_id, started_at, ended_at, reason_type, reason_code_id, reason_note, source, created_by,
        created_at, updated_at, edited_at)
      values (${scope.tenantId}, ${row.machineId}, ${given.at}, ${row.endedAt}, ${reason.reasonType}, ${reason.reasonCodeId}, ${note},
        ${row.source}, ${row.createdBy}, ${now}, ${touched.updated_at}, ${touched.edited_at})
      returning id`
    return [await loadRecord(sql, scope, path), await loadRecord(sql, scope, { ...path, record_id: second?.id as string })]
  })

/**
 * Joins records of a machine to one of them, which keeps its reason and covers the time from the earliest start to the latest end.
 * @throws NotFound, Conflict where the machine ran between two of them for too long
 */
export const mergeRecords = (scope: TenantScope, path: RecordPath, given: z.output<typeof RecordMerge>): Promise<RecordRow> =>
  scope.tx(async (sql) => {
    const others = [...new Set(given.record_ids)].filter((id) => id !== path.record_id)
    if (others.length === 0) return loadRecord(sql, scope, path)
    const ids = [path.record_id, ...others]
    const rows = await lockRecords(sql, scope, path.machine_id, ids)
    const missing = ids.find((id) => !rows.some((row) => row.id === id))
    if (missing) throw new NotFound('downtime record', missing)
    const kept = rows.find(({ id }) => id === path.record_id) as (typeof rows)[number]
    const { startedAt, endedAt } = spanOf(rows)
    await sql`
      delete from downtime_records
      where tenant_id = ${scope.tenantId} and machine_id = ${path.machine_id} and id = any(${others}::uuid[])`
    await updateRecord(sql, scope, path, { started_at: startedAt, ended_at: endedAt, ...touch(kept, scope.clock.now()) })
    return loadRecord(sql, scope, path)
  })

/** The time that records cover together. @throws Conflict for a gap that is too long */
function spanOf(rows: readonly { startedAt: Date; endedAt: Date | null }[]): { startedAt: Date; endedAt: Date | null } {
  const [earliest, ...later] = rows.toSorted((a, b) => a.startedAt.getTime() - b.startedAt.getTime())
  if (!earliest) throw new Error('no records to merge')
  const endOf = ({ endedAt }: { endedAt: Date | null }) => endedAt?.getTime() ?? Number.POSITIVE_INFINITY
  let end = endOf(earliest)
  for (const row of later) {
    if (row.startedAt.getTime() - end > MAX_MERGE_GAP_MINUTES * 60_000)
      throw new Conflict(
        'downtime_gap',
        `The machine ran for more than ${MAX_MERGE_GAP_MINUTES} minutes before ${row.startedAt.toISOString()}; a merge joins shorter gaps only.`,
        { limit: MAX_MERGE_GAP_MINUTES },
      )
    end = Math.max(end, endOf(row))
  }
  return { startedAt: earliest.startedAt, endedAt: Number.isFinite(end) ? new Date(end) : null }
}
