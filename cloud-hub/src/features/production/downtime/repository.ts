import { and, desc, eq, getTableColumns, type SQL, sql } from 'drizzle-orm'
import { isUniqueViolation } from '../../../db/errors.ts'
import { first, owned, type TenantDb, type TenantScope } from '../../../db/scope.ts'
import { downtimeRecords, type reasonCodes } from '../../../db/tables/downtime.ts'
import { machines } from '../../../db/tables/machines.ts'
import { Conflict, NotFound } from '../../../support/errors.ts'

/** A record with the code that it carries. */
export type RecordRow = typeof downtimeRecords.$inferSelect & {
  code: Pick<typeof reasonCodes.$inferSelect, 'id' | 'code' | 'label' | 'category' | 'oeeLossCategory'> | null
}

/** The columns of a {@link RecordRow}. */
export const RECORD_COLUMNS = {
  ...getTableColumns(downtimeRecords),
  code: sql<RecordRow['code']>`(select jsonb_build_object('id', c.id, 'code', c.code, 'label', c.label, 'category', c.category,
      'oeeLossCategory', c.oee_loss_category)
    from reason_codes c where c.tenant_id = "downtime_records"."tenant_id" and c.id = "downtime_records"."reason_code_id")`,
}

/** A record of a machine. */
export interface RecordPath {
  machine_id: string
  record_id: string
}

export const isRecord = (scope: TenantScope, path: RecordPath): SQL | undefined =>
  and(owned(downtimeRecords, scope), eq(downtimeRecords.machineId, path.machine_id), eq(downtimeRecords.id, path.record_id))

/** The refusal of a record that the machine does not have, or of a machine that the tenant does not have. */
async function missing(db: TenantDb, scope: TenantScope, path: RecordPath): Promise<NotFound> {
  const machine = and(owned(machines, scope), eq(machines.id, path.machine_id))
  const known = await db.select({ id: machines.id }).from(machines).where(machine).then(first)
  return known ? new NotFound('downtime record', path.record_id) : new NotFound('machine', path.machine_id)
}

/** @throws NotFound */
export async function loadRecord(db: TenantDb, scope: TenantScope, path: RecordPath): Promise<RecordRow> {
  const row = await db.select(RECORD_COLUMNS).from(downtimeRecords).where(isRecord(scope, path)).then(first)
  if (!row) throw await missing(db, scope, path)
  return row
}

export const findRecord = (scope: TenantScope, path: RecordPath): Promise<RecordRow> =>
  scope.tx((db) => loadRecord(db, scope, path))

/** Locks a record for a change. @throws NotFound */
export async function lockRecord(db: TenantDb, scope: TenantScope, path: RecordPath) {
  const row = await db.select().from(downtimeRecords).where(isRecord(scope, path)).for('update').then(first)
  if (!row) throw await missing(db, scope, path)
  return row
}

/** The records of a machine, newest first. */
export const listRecords = (scope: TenantScope, machineId: string, { page, size }: { page: number; size: number }) =>
  scope.read((db) =>
    db
      .select(RECORD_COLUMNS)
      .from(downtimeRecords)
      .where(and(owned(downtimeRecords, scope), eq(downtimeRecords.machineId, machineId)))
      .orderBy(desc(downtimeRecords.startedAt), desc(downtimeRecords.id))
      .limit(size)
      .offset((page - 1) * size),
  )

/** Turns the refusal of a second ongoing record into a conflict. */
export const ongoingTaken = (error: unknown): never => {
  throw isUniqueViolation(error, 'downtime_records_ongoing_key')
    ? new Conflict('downtime_ongoing', 'The machine has an ongoing downtime record; end that one first.')
    : error
}
