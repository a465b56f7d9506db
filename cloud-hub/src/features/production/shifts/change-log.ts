import type { ShiftLogStatus } from '../../../db/enums.ts'
import { isUniqueViolation } from '../../../db/errors.ts'
import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { Conflict, type FieldError, fieldError, NotFound, Unprocessable } from '../../../support/errors.ts'
import type { z } from '../../../support/http/z.ts'
import { logById, type ShiftLogRow } from './repository.ts'
import type { LogCreate, LogPatch } from './schemas.ts'

interface Times {
  status: ShiftLogStatus
  start: Date
  end: Date | null
}

const refuse = (fault: FieldError) => {
  throw new Unprocessable([fault])
}

/** @throws Unprocessable for an end that is not after the start */
function checkOrder({ start, end }: Times): void {
  if (end && end <= start) refuse(fieldError('body.actual_end', 'not_after', { other: 'actual_start' }))
}

/** @throws Unprocessable for times that the status does not allow */
function checkTimes(times: Times, now: Date): void {
  const { status, start, end } = times
  checkOrder(times)
  if (status === 'active' && end)
    refuse(fieldError('body.actual_end', 'must_be_absent', {}, 'must be absent while the log is active'))
  if (status === 'completed' && !end)
    refuse(fieldError('body.actual_end', 'required', {}, 'is required when the log is completed'))
  if (status === 'completed' && end && end > now)
    refuse(fieldError('body.actual_end', 'in_future', {}, 'must not be in the future when the log is completed'))
  if (status === 'active' && start > now)
    refuse(fieldError('body.actual_start', 'in_future', {}, 'must not be in the future when the log is active'))
}

const alreadyActive = (error: unknown): never => {
  throw isUniqueViolation(error, 'shift_logs_active_key')
    ? new Conflict('shift_log_active', 'The machine has an active shift log already: complete or cancel that one first.')
    : error
}

/** @throws NotFound for a machine or definition that the tenant does not have */
async function checkNamed(sql: TransactionSql, scope: TenantScope, machineId: string, definitionId: string): Promise<void> {
  const [known] = await sql<{ machine: boolean; definition: boolean }[]>`
    select exists (select from machines where tenant_id = ${scope.tenantId} and id = ${machineId}) as machine,
      exists (select from shift_definitions where tenant_id = ${scope.tenantId} and id = ${definitionId}) as definition`
  if (!known?.machine) throw new NotFound('machine', machineId)
  if (!known.definition) throw new NotFound('shift definition', definitionId)
}

/**
 * Creates a log. Without a status it is completed when it has an end, else active; one that is completed without an end ends now.
 * @throws Unprocessable, NotFound, Conflict when the machine has an active log already
 */
export async function createLog(scope: TenantScope, given: z.output<typeof LogCreate>): Promise<ShiftLogRow> {
  const now = scope.clock.now()
  const status = given.status ?? (given.actual_end ? 'completed' : 'active')
  const times = { status, start: given.actual_start, end: given.actual_end ?? (status === 'completed' ? now : null) }
  checkTimes(times, now)
  return scope
    .tx(async (sql) => {
      await checkNamed(sql, scope, given.machine_id, given.shift_definition_id)
      const [row] = await sql<{ id: string }[]>`
        insert into shift_logs (tenant_id, machine_id, shift_definition_id, shift_date, actual_start, actual_end, supervisor, operator_count,
          handover_notes, status, created_at, updated_at)
        values (${scope.tenantId}, ${given.machine_id}, ${given.shift_definition_id}, ${given.shift_date}::text::date, ${times.start}, ${times.end},
          ${given.supervisor ?? null}, ${given.operator_count ?? null}, ${given.handover_notes ?? null}, ${status}, ${now}, ${now})
        returning id`
      if (!row) throw new Error('an inserted shift log was not returned')
      return logById(sql, scope, row.id)
    })
    .catch(alreadyActive)
}

const NEXT: Record<ShiftLogStatus, readonly ShiftLogStatus[]> = {
  active: ['completed', 'cancelled'],
  completed: [],
  cancelled: [],
}

/**
 * Changes the given fields of a log, also after its completion. Completing without an end means now.
 * @throws NotFound, Unprocessable, Conflict `transition_not_allowed`
 */
export const changeLog = (scope: TenantScope, id: string, given: z.output<typeof LogPatch>): Promise<ShiftLogRow> =>
  scope.tx(async (sql) => {
    const now = scope.clock.now()
    await sql`select from shift_logs where tenant_id = ${scope.tenantId} and id = ${id} for no key update`
    const old = await logById(sql, scope, id)
    const status = given.status ?? old.status
    const isMoving = status !== old.status
    const end = given.actual_end === undefined ? old.actualEnd : given.actual_end
    const times = {
      status,
      start: given.actual_start ?? old.actualStart,
      end: end ?? (isMoving && status === 'completed' && NEXT[old.status].includes(status) ? now : null),
    }
    const isAllowed = !isMoving || NEXT[old.status].includes(status)
    // no status allows it: 422 comes before 409
    checkOrder(times)
    if (isAllowed) checkTimes(times, now)
    else {
      const next = NEXT[old.status].join(' or ') || 'no other status'
      throw new Conflict(
        'transition_not_allowed',
        `A shift log that is ${old.status} cannot become ${status}; ${next} can follow.`,
      )
    }
    const values = {
      status,
      actual_start: times.start,
      actual_end: times.end,
      supervisor: given.supervisor === undefined ? old.supervisor : given.supervisor,
      operator_count: given.operator_count === undefined ? old.operatorCount : given.operator_count,
      handover_notes: given.handover_notes === undefined ? old.handoverNotes : given.handover_notes,
    }
    await sql`
      update shift_logs l set ${sql(values)}, updated_at = ${now}
      where l.tenant_id = ${scope.tenantId} and l.id = ${id}
        and (l.status, l.actual_start, l.actual_end, l.supervisor, l.operator_count, l.handover_notes) is distinct from
          (${values.status}, ${values.actual_start}::timestamptz, ${values.actual_end}::timestamptz, ${values.supervisor}::text,
            ${values.operator_count}::integer, ${values.handover_notes}::text)`
    return logById(sql, scope, id)
  })

/** Deletes a log; its OEE no longer counts. @throws NotFound */
export async function deleteLog(scope: TenantScope, id: string): Promise<void> {
  const deleted = await scope.tx(
    (sql) => sql`delete from shift_logs where tenant_id = ${scope.tenantId} and id = ${id} returning id`,
  )
  if (deleted.length === 0) throw new NotFound('shift log', id)
}
