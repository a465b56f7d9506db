import { columns } from '../../../db/columns.ts'
import { isUniqueViolation } from '../../../db/errors.ts'
import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { qualified } from '../../../db/sql.ts'
import type { downtimeRecords, reasonCodes } from '../../../db/tables/downtime.ts'
import { Conflict, NotFound } from '../../../support/errors.ts'
import { machineNameOf } from '../../plant/machines/index.ts'

export type StoredRecord = typeof downtimeRecords.$inferSelect

/** A record with the name of its machine and the code that it carries. */
export type RecordRow = StoredRecord & {
  machineName: string
  code: Pick<typeof reasonCodes.$inferSelect, 'id' | 'code' | 'label' | 'category' | 'oeeLossCategory'> | null
}

/** The columns of a {@link RecordRow} of the table `downtime_records r`. */
export const RECORD_COLUMNS = `${qualified(columns.downtimeRecords, 'r')}, ${machineNameOf('r')},
  (select jsonb_build_object('id', c.id, 'code', c.code, 'label', c.label, 'category', c.category, 'oeeLossCategory', c.oee_loss_category)
   from reason_codes c where c.tenant_id = r.tenant_id and c.id = r.reason_code_id) as code`

const STORED_COLUMNS = columns.downtimeRecords

/** A record of a machine. */
export interface RecordPath {
  machine_id: string
  record_id: string
}

/** The refusal of a record that the machine does not have, or of a machine that the tenant does not have. */
async function missing(sql: TransactionSql, scope: TenantScope, path: RecordPath): Promise<NotFound> {
  const [known] = await sql`select id from machines where tenant_id = ${scope.tenantId} and id = ${path.machine_id}`
  return known ? new NotFound('downtime record', path.record_id) : new NotFound('machine', path.machine_id)
}

/** @throws NotFound */
export async function loadRecord(sql: TransactionSql, scope: TenantScope, path: RecordPath): Promise<RecordRow> {
  const [row] = await sql<RecordRow[]>`
    select ${sql.unsafe(RECORD_COLUMNS)} from downtime_records r
    where r.tenant_id = ${scope.tenantId} and r.machine_id = ${path.machine_id} and r.id = ${path.record_id}`
  if (!row) throw await missing(sql, scope, path)
  return row
}

export const findRecord = (scope: TenantScope, path: RecordPath): Promise<RecordRow> =>
  scope.tx((sql) => loadRecord(sql, scope, path))

/** Locks a record for a change. @throws NotFound */
export async function lockRecord(sql: TransactionSql, scope: TenantScope, path: RecordPath): Promise<StoredRecord> {
  const [row] = await sql<StoredRecord[]>`
    select ${sql.unsafe(STORED_COLUMNS)} from downtime_records
    where tenant_id = ${scope.tenantId} and machine_id = ${path.machine_id} and id = ${path.record_id} for update`
  if (!row) throw await missing(sql, scope, path)
  return row
}

/** Locks records of a machine by id. */
export const lockRecords = (sql: TransactionSql, scope: TenantScope, machineId: string, ids: readonly string[]) =>
  sql<StoredRecord[]>`
    select ${sql.unsafe(STORED_COLUMNS)} from downtime_records
    where tenant_id = ${scope.tenantId} and machine_id = ${machineId} and id = any(${ids as string[]}::uuid[]) order by id for update`

/** Changes columns of a record. */
export const updateRecord = (
  sql: TransactionSql,
  scope: TenantScope,
  path: RecordPath,
  values: Record<string, string | Date | null>,
) => sql`
  update downtime_records set ${sql(values)}
  where tenant_id = ${scope.tenantId} and machine_id = ${path.machine_id} and id = ${path.record_id}`

/** The records of a machine, newest first. */
export const listRecords = (scope: TenantScope, machineId: string, { page, size }: { page: number; size: number }) =>
  scope.read(
    (sql) => sql<RecordRow[]>`
      select ${sql.unsafe(RECORD_COLUMNS)} from downtime_records r
      where r.tenant_id = ${scope.tenantId} and r.machine_id = ${machineId}
      order by r.started_at desc, r.id desc limit ${size} offset ${(page - 1) * size}`,
  )

/** Turns the refusal of a second ongoing record into a conflict. */
export const ongoingTaken = (error: unknown): never => {
  throw isUniqueViolation(error, 'downtime_records_ongoing_key')
    ? new Conflict('downtime_ongoing', 'The machine has an ongoing downtime record; end that one first.')
    : error
}
