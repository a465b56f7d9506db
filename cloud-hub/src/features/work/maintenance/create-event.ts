import type { RecurrenceRule } from '../../../db/enums.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { fieldError, Unprocessable } from '../../../support/errors.ts'
import type { z } from '../../../support/http/z.ts'
import { zoneOf } from '../../plant/machine-groups/index.ts'
import { fillSeries } from './fill-recurrences.ts'
import { checkNamed, eventById, type MaintenanceEventRow, withoutAudit } from './repository.ts'
import type { EventCreate } from './schemas.ts'

/** Occurrences of a series stay within years of four digits, also the one after the last that is made. */
const LAST_START = new Date('9998-01-01T00:00:00Z')
const MAX_DAYS = 366

/** @throws Unprocessable unless the end comes after the start, and for times that a series cannot have */
export function checkTimes(start: Date, end: Date, rule: RecurrenceRule | null): void {
  if (end <= start) throw new Unprocessable([fieldError('body.scheduled_end', 'not_after', { other: 'scheduled_start' })])
  if (rule === null) return
  if (start >= LAST_START)
    throw new Unprocessable([
      fieldError('body.scheduled_start', 'not_before', { other: '9998-01-01' }, 'must be before the year 9998 in a series'),
    ])
  if (end.getTime() - start.getTime() > MAX_DAYS * 86_400_000)
    throw new Unprocessable([
      fieldError(
        'body.scheduled_end',
        'max_range_days',
        { days: MAX_DAYS },
        `must be at most ${MAX_DAYS} days after scheduled_start in a series`,
      ),
    ])
}

/**
 * Creates an event, and with a recurrence rule its children of the next 12 months. The series recurs in the local time of the machine's site or of the plant.
 * @throws NotFound, Unprocessable
 */
export function createEvent(scope: TenantScope, given: z.output<typeof EventCreate>): Promise<MaintenanceEventRow> {
  const rule = given.recurrence_rule ?? null
  checkTimes(given.scheduled_start, given.scheduled_end, rule)
  const now = scope.clock.now()
  return scope.tx(async (sql) => {
    await checkNamed(sql, scope, given)
    const values = {
      tenant_id: scope.tenantId,
      machine_id: given.machine_id,
      title: given.title,
      description: given.description ?? null,
      scheduled_start: given.scheduled_start,
      scheduled_end: given.scheduled_end,
      linked_alert_id: given.linked_alert_id ?? null,
      assigned_to: given.assigned_to ?? null,
      checklist_id: given.checklist_id ?? null,
      recurrence_rule: rule,
      created_by: scope.actor.id,
      created_at: now,
      updated_at: now,
    }
    const timeZone = rule && (await zoneOf(sql, scope.tenantId, given))
    const [made] = await sql<{ id: string }[]>`
      insert into maintenance_events ${sql({ ...values, time_zone: timeZone })} returning id`
    const row = await eventById(sql, scope, (made as { id: string }).id)
    if (rule && timeZone) await withoutAudit(sql, scope, () => fillSeries(sql, { ...row, recurrenceRule: rule, timeZone }, now))
    return row
  })
}
