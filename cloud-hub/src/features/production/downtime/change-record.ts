import type { ReasonType } from '../../../db/enums.ts'
import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { Conflict, type FieldError, fieldError, Unprocessable } from '../../../support/errors.ts'
import type { z } from '../../../support/http/z.ts'
import { loadReasonCode } from '../reason-codes/index.ts'
import {
  loadRecord,
  lockRecord,
  ongoingTaken,
  type RecordPath,
  type RecordRow,
  type StoredRecord,
  updateRecord,
} from './repository.ts'
import type { RecordCreate, RecordPut } from './schemas.ts'

/** @throws Unprocessable unless the end, if there is one, comes after the start, and both are past */
function checkTimes(now: Date, startedAt: Date, endedAt: Date | null): void {
  const faults: FieldError[] = []
  if (startedAt > now) faults.push(fieldError('body.started_at', 'in_future'))
  if (endedAt && endedAt > now) faults.push(fieldError('body.ended_at', 'in_future'))
  if (endedAt && endedAt <= startedAt) faults.push(fieldError('body.ended_at', 'not_after', { other: 'started_at' }))
  if (faults.length > 0) throw new Unprocessable(faults)
}

/** The reason that a request gives; undefined: not given. */
interface GivenReason {
  reason_type?: ReasonType | undefined
  reason_code_id?: string | null | undefined
}

/**
 * The type and code of a record after a request. A given code without a type brings its category.
 * @param present as they were before; a record keeps an inactive code that it has
 * @throws NotFound for an unknown code, Unprocessable for an inactive one
 */
export async function resolveReason(
  sql: TransactionSql,
  scope: TenantScope,
  given: GivenReason,
  present: Pick<StoredRecord, 'reasonType' | 'reasonCodeId'>,
): Promise<Pick<StoredRecord, 'reasonType' | 'reasonCodeId'>> {
  const reasonCodeId = given.reason_code_id === undefined ? present.reasonCodeId : given.reason_code_id
  const reasonType = given.reason_type ?? present.reasonType
  if (reasonCodeId === null || given.reason_code_id === undefined) return { reasonCodeId, reasonType }
  const code = await loadReasonCode(sql, scope, reasonCodeId)
  if (!code.isActive && reasonCodeId !== present.reasonCodeId)
    throw new Unprocessable([fieldError('body.reason_code_id', 'inactive_reason_code')])
  return { reasonCodeId, reasonType: given.reason_type ?? code.category }
}

/** @throws Unprocessable, NotFound for an unknown reason code, Conflict for a second ongoing record of the machine */
export const createRecord = (scope: TenantScope, machineId: string, given: z.output<typeof RecordCreate>): Promise<RecordRow> =>
  scope
    .tx(async (sql) => {
      const now = scope.clock.now()
      const endedAt = given.ended_at ?? null
      checkTimes(now, given.started_at, endedAt)
      const reason = await resolveReason(sql, scope, given, { reasonType: 'unplanned', reasonCodeId: null })
      const [row] = await sql<{ id: string }[]>`
        insert into downtime_records (tenant_id, machine_id, started_at, ended_at, reason_type, reason_code_id, reason_note, created_by,
          created_at, updated_at)
        values (${scope.tenantId}, ${machineId}, ${given.started_at}, ${endedAt}, ${reason.reasonType}, ${reason.reasonCodeId},
          ${given.reason_note ?? null}, ${scope.actor.id}, ${now}, ${now})
        returning id`
      return loadRecord(sql, scope, { machine_id: machineId, record_id: row?.id as string })
    })
    .catch(ongoingTaken)

/** What a change by a person sets beside the fields. Automatic detection leaves a record with `edited_at` alone. */
export const touch = (row: StoredRecord, now: Date) => ({
  updated_at: now,
  edited_at: row.source === 'automatic' ? (row.editedAt ?? now) : null,
})

const isSame = (a: unknown, b: unknown) => (a instanceof Date && b instanceof Date ? a.getTime() === b.getTime() : a === b)

/**
 * Changes the given fields. An ongoing record with an end is completed; an ended one stays ended.
 * @throws NotFound, Unprocessable
 */
export const changeRecord = (scope: TenantScope, path: RecordPath, given: z.output<typeof RecordPut>): Promise<RecordRow> =>
  scope.tx(async (sql) => {
    const row = await lockRecord(sql, scope, path)
    const now = scope.clock.now()
    if (given.ended_at === null && row.endedAt)
      throw new Unprocessable([fieldError('body.ended_at', 'required', {}, 'must be a time, because the record has ended')])
    const wanted = {
      startedAt: given.started_at ?? row.startedAt,
      endedAt: given.ended_at ?? row.endedAt,
      reasonNote: given.reason_note === undefined ? row.reasonNote : given.reason_note,
    }
    checkTimes(now, wanted.startedAt, wanted.endedAt)
    const reason = await resolveReason(sql, scope, given, row)
    const values = {
      started_at: { before: row.startedAt, after: wanted.startedAt },
      ended_at: { before: row.endedAt, after: wanted.endedAt },
      reason_note: { before: row.reasonNote, after: wanted.reasonNote },
      reason_type: { before: row.reasonType, after: reason.reasonType },
      reason_code_id: { before: row.reasonCodeId, after: reason.reasonCodeId },
    }
    const changes = Object.entries(values).filter(([, { before, after }]) => !isSame(before, after))
    if (changes.length > 0)
      await updateRecord(sql, scope, path, {
        ...Object.fromEntries(changes.map(([column, { after }]) => [column, after])),
        ...touch(row, now),
      })
    return loadRecord(sql, scope, path)
  })

/** Ends an ongoing record now. @throws NotFound, Conflict for one that has ended */
export const endRecord = (scope: TenantScope, path: RecordPath): Promise<RecordRow> =>
  scope.tx(async (sql) => {
    const row = await lockRecord(sql, scope, path)
    if (row.endedAt) throw new Conflict('downtime_ended', `The record ended at ${row.endedAt.toISOString()}.`)
    const now = scope.clock.now()
    // The clocks of two replicas may differ by more than the record lasts.
    const endedAt = new Date(Math.max(now.getTime(), row.startedAt.getTime() + 1))
    await updateRecord(sql, scope, path, { ended_at: endedAt, ...touch(row, now) })
    return loadRecord(sql, scope, path)
  })
