import type { MaintenanceStatus } from '../../../db/enums.ts'
import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { Conflict, fieldError, Unprocessable } from '../../../support/errors.ts'
import type { z } from '../../../support/http/z.ts'
import { zoneOf } from '../../plant/machine-groups/index.ts'
import { checkTimes } from './create-event.ts'
import { deleteOpenChildren } from './delete-event.ts'
import { fillSeries, moveChildren, openChildren, type Parent } from './fill-recurrences.ts'
import { checkNamed, EVENT_COLUMNS, lockEvent, type MaintenanceEventRow, withoutAudit } from './repository.ts'
import type { EventPut } from './schemas.ts'

const NEXT: Record<MaintenanceStatus, readonly MaintenanceStatus[]> = {
  scheduled: ['in_progress', 'cancelled'],
  in_progress: ['completed', 'cancelled'],
  completed: [],
  cancelled: [],
}

/** The columns that a request changes, as they are named in the table. */
type Changes = Partial<
  Record<'title' | 'description' | 'assigned_to' | 'checklist_id' | 'status' | 'recurrence_rule', string | null>
> & {
  scheduled_start?: Date
  scheduled_end?: Date
}

function changesOf(row: MaintenanceEventRow, given: z.output<typeof EventPut>): Changes {
  const now = {
    title: row.title,
    description: row.description,
    assigned_to: row.assignedTo,
    checklist_id: row.checklistId,
    status: row.status,
    recurrence_rule: row.recurrenceRule,
    scheduled_start: row.scheduledStart,
    scheduled_end: row.scheduledEnd,
  }
  const same = (a: unknown, b: unknown) => a === b || (a instanceof Date && b instanceof Date && a.getTime() === b.getTime())
  const changed = Object.entries(given).filter(
    ([key, value]) => value !== undefined && !same(value, now[key as keyof typeof now]),
  )
  return Object.fromEntries(changed) as Changes
}

/**
 * Changes the given fields of an event, and of the children of a series that have neither started nor been changed by themselves.
 * A status that is not among the next ones is refused. `recurrence_rule` null ends a series: these children are deleted. A request that changes nothing answers the event as it is.
 * @throws NotFound, Unprocessable, Conflict `maintenance_transition`
 */
export const changeEvent = (
  scope: TenantScope,
  eventId: string,
  given: z.output<typeof EventPut>,
): Promise<MaintenanceEventRow> =>
  scope.tx(async (sql) => {
    const row = await lockEvent(sql, scope, eventId)
    const changes = changesOf(row, given)
    if (changes.recurrence_rule) throw new Unprocessable([fieldError('body.recurrence_rule', 'endless_recurrence')])
    checkTimes(changes.scheduled_start ?? row.scheduledStart, changes.scheduled_end ?? row.scheduledEnd, row.recurrenceRule)
    await checkNamed(sql, scope, { assigned_to: changes.assigned_to, checklist_id: changes.checklist_id })
    if (changes.status && !NEXT[row.status].includes(changes.status as MaintenanceStatus))
      throw new Conflict('maintenance_transition', `A maintenance event that is ${row.status} cannot become ${changes.status}.`)
    if (Object.keys(changes).length === 0) return row
    const now = scope.clock.now()
    const isMoved = changes.scheduled_start !== undefined || changes.scheduled_end !== undefined
    const timeZone = isMoved && row.recurrenceRule ? await zoneOf(sql, scope.tenantId, { machine_id: row.machineId }) : null
    const [changed] = await sql<MaintenanceEventRow[]>`
      update maintenance_events e set ${sql(changes as Record<string, string>)}, updated_at = ${now}, sequence = e.sequence + 1,
        is_edited = e.parent_event_id is not null,
        next_occurrence_at = case when ${changes.status === 'cancelled' || changes.recurrence_rule === null} then null else e.next_occurrence_at end,
        time_zone = coalesce(${timeZone}, e.time_zone)
      where e.tenant_id = ${scope.tenantId} and e.id = ${eventId}
      returning ${sql.unsafe(EVENT_COLUMNS)}`
    if (!changed) throw new Error('a locked maintenance event was not changed')
    const { recurrenceRule } = changed
    if (recurrenceRule && changed.timeZone) {
      const parent = { ...changed, recurrenceRule, timeZone: changed.timeZone }
      await withoutAudit(sql, scope, () => changeChildren(sql, parent, changes, now))
    }
    if (changes.recurrence_rule === null) await withoutAudit(sql, scope, () => deleteOpenChildren(sql, scope, eventId))
    return changed
  })

/** Passes changes of a parent to its children. Only a cancellation passes its status. */
async function changeChildren(
  sql: TransactionSql,
  parent: Parent & MaintenanceEventRow,
  changes: Changes,
  now: Date,
): Promise<void> {
  const { status, scheduled_start, scheduled_end, ...fields } = changes
  const passed = { ...fields, ...(status === 'cancelled' && { status }) }
  const isMoved = scheduled_start !== undefined || scheduled_end !== undefined
  if (isMoved) await moveChildren(sql, parent, now)
  if (Object.keys(passed).length > 0)
    // those that moved have their new sequence already
    await sql`
      update maintenance_events set ${sql(passed as Record<string, string>)}, updated_at = ${now}, sequence = sequence + (updated_at <> ${now})::int
      where ${openChildren(sql, parent)}`
  if (isMoved && parent.status !== 'cancelled') await fillSeries(sql, parent, now)
}
