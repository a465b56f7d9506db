import { and, asc, eq, inArray } from 'drizzle-orm'
import { first, owned, type TenantScope } from '../../../db/scope.ts'
import { downtimeRecords } from '../../../db/tables/downtime.ts'
import { Conflict, fieldError, NotFound, Unprocessable } from '../../../support/errors.ts'
import type { z } from '../../../support/http/z.ts'
import { resolveReason, touch } from './change-record.ts'
import { isRecord, loadRecord, lockRecord, type RecordPath, type RecordRow } from './repository.ts'
import { MAX_MERGE_GAP_MINUTES, type RecordMerge, type RecordSplit } from './schemas.ts'

/**
 * Ends a record at an instant inside it and begins a second one there, with the reason given or that of the first.
 * @returns both parts in their order
 * @throws NotFound, Unprocessable
 */
export const splitRecord = (scope: TenantScope, path: RecordPath, given: z.output<typeof RecordSplit>): Promise<RecordRow[]> =>
  scope.tx(async (db) => {
    const row = await lockRecord(db, scope, path)
    const now = scope.clock.now()
    if (given.at <= row.startedAt || given.at >= (row.endedAt ?? now))
      throw new Unprocessable([fieldError('body.at', 'outside_record')])
    const reason = await resolveReason(db, scope, given, row)
    // The first part ends before the second is inserted: at most one of them is ongoing.
    await db
      .update(downtimeRecords)
      .set({ endedAt: given.at, ...touch(row, now) })
      .where(isRecord(scope, path))
    const second = await db
      .insert(downtimeRecords)
      .values({
        ...reason,
        ...touch(row, now),
        tenantId: scope.tenantId,
        machineId: row.machineId,
        startedAt: given.at,
        endedAt: row.endedAt,
        reasonNote: given.reason_note === undefined ? row.reasonNote : given.reason_note,
        source: row.source,
        createdBy: row.createdBy,
        createdAt: now,
      })
      .returning({ id: downtimeRecords.id })
      .then(first)
    return [await loadRecord(db, scope, path), await loadRecord(db, scope, { ...path, record_id: second?.id as string })]
  })

/**
 * Joins records of a machine to one of them, which keeps its reason and covers the time from the earliest start to the latest end.
 * @throws NotFound, Conflict where the machine ran between two of them for too long
 */
export const mergeRecords = (scope: TenantScope, path: RecordPath, given: z.output<typeof RecordMerge>): Promise<RecordRow> =>
  scope.tx(async (db) => {
    const others = [...new Set(given.record_ids)].filter((id) => id !== path.record_id)
    if (others.length === 0) return loadRecord(db, scope, path)
    const ids = [path.record_id, ...others]
    const mine = and(owned(downtimeRecords, scope), eq(downtimeRecords.machineId, path.machine_id))
    const rows = await db
      .select()
      .from(downtimeRecords)
      .where(and(mine, inArray(downtimeRecords.id, ids)))
      .orderBy(asc(downtimeRecords.id))
      .for('update')
    const missing = ids.find((id) => !rows.some((row) => row.id === id))
    if (missing) throw new NotFound('downtime record', missing)
    const kept = rows.find(({ id }) => id === path.record_id) as (typeof rows)[number]
    const { startedAt, endedAt } = spanOf(rows)
    await db.delete(downtimeRecords).where(and(mine, inArray(downtimeRecords.id, others)))
    await db
      .update(downtimeRecords)
      .set({ startedAt, endedAt, ...touch(kept, scope.clock.now()) })
      .where(isRecord(scope, path))
    return loadRecord(db, scope, path)
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
