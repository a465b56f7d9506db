import { MAINTENANCE_STATUSES, RECURRENCE_RULES } from '../../../db/enums.ts'
import { RecordVersion } from '../../../support/http/record-version.ts'
import { Id, Instant, OptionalPaging, pathId, rangeEnd, text } from '../../../support/http/shapes.ts'
import { z } from '../../../support/http/z.ts'
import { ofGroup } from '../../plant/machine-groups/index.ts'
import { MachineName } from '../../plant/machines/index.ts'

/** The most events that one list answers. */
export const MAX_LISTED = 10_000

export const EventParams = z.object({
  event_id: pathId('maintenance event').describe('The maintenance event, from `GET /maintenance`.'),
})

const statusText =
  '`scheduled`, then `in_progress`, then `completed`; `cancelled` from the first two. While an event is `in_progress`, new alerts of its machine send no notifications.'
const ruleText = 'Makes a series: the event is its first occurrence, and the following ones are made 12 months ahead.'
const Status = z.enum(MAINTENANCE_STATUSES, { error: `must be one of ${MAINTENANCE_STATUSES.join(', ')}` }).describe(statusText)
const Rule = z.enum(RECURRENCE_RULES, { error: `must be ${RECURRENCE_RULES.join(', ')} or null` })

const fields = {
  title: text(300).describe('What is done, up to 300 characters.'),
  description: z
    .union([z.literal(''), text(4_000)])
    .nullable()
    .transform((value) => value || null)
    .describe('Details, up to 4,000 characters; null or an empty string clears it.'),
  scheduled_start: rangeEnd('start').describe('When it is planned to start: a date or datetime.'),
  scheduled_end: rangeEnd('end').describe(
    'When it is planned to end, after the start; a date covers its whole day (UTC). In a series at most 366 days after the start.',
  ),
  assigned_to: Id.nullable().describe('The active user who does it, and who gets reminders; null: unassigned.'),
  checklist_id: Id.nullable().describe('The checklist from which its work order is created; null: none.'),
}
const { scheduled_start, scheduled_end } = fields
const example = { title: 'Change the oil', scheduled_start: '2026-03-02T08:00:00Z', scheduled_end: '2026-03-02T09:30:00Z' }

export const EventCreate = z
  .object({
    machine_id: Id.describe('The machine that is maintained.'),
    ...fields,
    linked_alert_id: Id.nullable().describe('The alert that it answers, of a series the first occurrence; null: none.'),
    recurrence_rule: Rule.nullable().describe(`${ruleText} Null: it happens once.`),
  })
  .partial()
  .required({ machine_id: true, title: true, scheduled_start: true, scheduled_end: true })
  .openapi('MaintenanceEventCreate', { example: { ...example, recurrence_rule: 'monthly' } })

export const EventPut = z
  .object({
    ...fields,
    scheduled_start,
    scheduled_end,
    status: Status,
    recurrence_rule: Rule.nullable().describe(
      'Null ends the series, also after its first occurrence: events that have neither started nor been changed by themselves are deleted. Another rule is refused: create another series.',
    ),
  })
  .partial()
  .openapi('MaintenanceEventPut', { example: { status: 'in_progress' } })

export const EventBody = z
  .object({
    id: Id.describe('Identifies the event: the `event_id` of paths.'),
    tenant_id: Id.describe('The tenant that it belongs to.'),
    machine_id: Id.describe('The machine that is maintained.'),
    machine_name: MachineName,
    title: z.string().describe('What is done.'),
    description: z.string().nullable().describe('Details; null when not given.'),
    scheduled_start: Instant.describe('When it is planned to start.'),
    scheduled_end: Instant.describe('When it is planned to end.'),
    status: z.enum(MAINTENANCE_STATUSES).describe(statusText),
    linked_alert_id: Id.nullable().describe('The alert that it answers; null: none.'),
    assigned_to: Id.nullable().describe('The user who does it; null: unassigned.'),
    checklist_id: Id.nullable().describe('The checklist of its work order; null: none.'),
    created_by: Id.describe('The user who created it; of a child, its parent.'),
    created_at: Instant.describe('When it was created.'),
    updated_at: Instant.describe('When it was last changed.'),
    recurrence_rule: z
      .enum(RECURRENCE_RULES)
      .nullable()
      .describe(`${ruleText} Null for single events and for the children of a series.`),
    parent_event_id: Id.nullable().describe('Of a child: the first occurrence of its series, while that exists; else null.'),
    version: RecordVersion,
  })
  .openapi('MaintenanceEvent', {
    example: {
      machine_name: 'Press 1',
      title: example.title,
      description: null,
      scheduled_start: '2026-03-02T08:00:00.000Z',
      scheduled_end: '2026-03-02T09:30:00.000Z',
      status: 'scheduled',
      linked_alert_id: null,
      assigned_to: null,
      checklist_id: null,
      recurrence_rule: 'monthly',
      parent_event_id: null,
    },
  })

export const EventQuery = z.object({
  machine_id: Id.optional().describe('Only events of this machine.'),
  group_id: ofGroup('events of machines'),
  status: Status.optional().openapi({ description: 'Only events with this status.', example: 'scheduled' }),
  start_after: rangeEnd('start').optional().describe('Only events planned to start at or after this date or datetime.'),
  end_before: rangeEnd('end')
    .optional()
    .describe('Only events planned to end at or before this date or datetime; a date covers its whole day (UTC).'),
  end_after: rangeEnd('start')
    .optional()
    .describe('Only events planned to end after this date or datetime: with `start_before` those that overlap a range.'),
  start_before: rangeEnd('until')
    .optional()
    .describe('Only events planned to start before this datetime, or on this date or before (UTC).'),
  ...OptionalPaging,
})
