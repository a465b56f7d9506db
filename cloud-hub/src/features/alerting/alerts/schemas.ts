import { ALERT_EVENTS, SEVERITIES } from '../../../db/enums.ts'
import { CursorPaging, cursorPageOf } from '../../../support/http/cursor.ts'
import { exampleId } from '../../../support/http/example.ts'
import { Id, Instant, Paging, pageOf, pathId, QueryBoolean, rangeEnd, text } from '../../../support/http/shapes.ts'
import { invalid } from '../../../support/http/validation-message.ts'
import { z } from '../../../support/http/z.ts'
import { ofGroup } from '../../plant/machine-groups/index.ts'
import { MachineName } from '../../plant/machines/index.ts'
import { FACTS, FACTS_EXAMPLE } from './facts.ts'

export const AlertParams = z.object({ alert_id: pathId('alert').describe('The alert, from `GET /alerts`.') })

export const AlertBody = z
  .object({
    id: Id.describe('Identifies the alert: the `alert_id` of paths and of other responses.'),
    tenant_id: Id.describe('The tenant that it belongs to.'),
    machine_id: Id.describe('The machine that it is about.'),
    machine_name: MachineName,
    rule_id: Id.nullable().describe(
      'The threshold rule or composite rule that raised it, also after it was deleted; null: unknown.',
    ),
    ...FACTS,
    message: z.string().describe('The facts as an English sentence, with the name that the machine had then.'),
    is_acknowledged: z.boolean().describe('Whether a user has acknowledged it.'),
    acknowledged_at: Instant.nullable().describe('When it was acknowledged; null before.'),
    acknowledged_by: Id.nullable().describe('The user who acknowledged it; null before.'),
    snoozed_until: Instant.nullable().describe('Until when it does not escalate; null: it was not snoozed.'),
    cleared_at: Instant.nullable().describe('When the condition ended; null while it lasts. Acknowledging is apart from it.'),
    is_too_old_to_notify: z
      .boolean()
      .describe('True when the reading arrived more than 15 minutes after its timestamp; such an alert sends no notifications.'),
    work_order_id: Id.nullable().describe('The open or started work order that was created from it; null: none.'),
    is_muted: z
      .boolean()
      .describe(
        'True when it was raised while maintenance was in progress on the machine; such an alert sends no notifications.',
      ),
    triggered_at: Instant.describe('Timestamp of the reading that raised it.'),
    created_at: Instant.describe('When the hub raised it.'),
  })
  .openapi('Alert', {
    example: {
      machine_name: 'Press 1',
      ...FACTS_EXAMPLE,
      message: 'Press 1: vibration is 7.4 mm/s, above the critical threshold of 7.1 mm/s.',
      is_acknowledged: false,
      acknowledged_at: null,
      acknowledged_by: null,
      snoozed_until: null,
      cleared_at: null,
      is_too_old_to_notify: false,
      work_order_id: null,
      is_muted: false,
    },
  })
export const AlertPage = cursorPageOf(AlertBody).openapi('AlertPage')

const filters = {
  machine_id: Id.optional().describe('Only alerts of this machine.'),
  rule_id: Id.optional().describe('Only alerts of this threshold rule or composite rule.'),
  group_id: ofGroup('alerts of machines'),
  severity: z.enum(SEVERITIES).optional().openapi({ description: 'Only alerts of this severity.', example: 'critical' }),
  start_date: rangeEnd('start').optional().describe('Only alerts raised at or after this date or datetime.'),
  end_date: rangeEnd('end')
    .optional()
    .describe('Only alerts raised at or before this date or datetime; a date covers its whole day (UTC).'),
}

const queryFilters = {
  ...filters,
  is_acknowledged: QueryBoolean.optional().openapi({
    description: 'Only acknowledged (`true`) or open (`false`) alerts.',
    example: false,
  }),
}
export const AlertQuery = z.object({ ...CursorPaging, ...queryFilters })

/** Alerts that are grouped at most, the newest. */
export const MAX_GROUPED = 100_000

export const AlertGroupQuery = z.object({
  ...Paging,
  ...queryFilters,
  sort_by: z
    .enum(['last_raised_at', 'alert_count', 'severity'])
    .default('last_raised_at')
    .describe('What orders the groups; those that are equal by their last alert, the newest first.'),
  sort_dir: z.enum(['asc', 'desc']).default('desc').describe('Ascending or descending.'),
})

const AlertGroup = z
  .object({
    machine_id: Id.describe('The machine.'),
    machine_name: MachineName,
    rule_id: Id.nullable().describe('The threshold rule or composite rule, also after it was deleted; null: unknown.'),
    rule_kind: FACTS.rule_kind,
    rule_name: FACTS.rule_name,
    metric_name: z.string().describe('The metric of the newest alert.'),
    severity: z.enum(SEVERITIES).describe('The highest of its alerts.'),
    alert_count: z.int().describe('How many alerts match.'),
    open_count: z.int().describe('Those that are not acknowledged.'),
    acknowledged_count: z.int().describe('Those that are acknowledged.'),
    first_raised_at: Instant.describe('When the hub raised the first of them.'),
    last_raised_at: Instant.describe('When the hub raised the last of them.'),
    newest_alert_id: Id.describe('The last of them.'),
  })
  .openapi('AlertGroup', {
    example: {
      machine_name: 'Press 1',
      rule_kind: 'threshold',
      rule_name: null,
      metric_name: 'vibration',
      severity: 'critical',
      alert_count: 12,
      open_count: 12,
      acknowledged_count: 0,
    },
  })
export const AlertGroupPage = pageOf(AlertGroup)
  .extend({
    is_complete: z
      .boolean()
      .describe(
        `False: more than ${MAX_GROUPED.toLocaleString('en')} alerts match, and the newest of them are grouped and counted.`,
      ),
  })
  .openapi('AlertGroupPage', { example: { is_complete: true } })

export const AlertStatsQuery = z.object({ group_id: ofGroup('alerts of machines') })

export const AlertStats = z
  .object({
    total_active: z.int().describe('Unacknowledged alerts.'),
    critical_count: z.int().describe('Those of severity `critical`.'),
    warning_count: z.int().describe('Those of severity `warning`.'),
    info_count: z.int().describe('Those of severity `info`.'),
  })
  .openapi('AlertStats', { example: { total_active: 3, critical_count: 1, warning_count: 2, info_count: 0 } })

export const BulkAcknowledge = z
  .object({
    alert_ids: z
      .array(Id)
      .max(1_000, 'may hold at most 1,000 ids')
      .optional()
      .describe('The alerts to acknowledge, at most 1,000.'),
    filter: z
      // a filter that a hub does not know must not be left out: more would be acknowledged
      .strictObject({
        ...filters,
        is_acknowledged: z.literal(false).optional().describe('Only open alerts match; may be left out.'),
        created_before: rangeEnd('start').describe(
          'Only alerts raised before this date or datetime, so that none counts that the person has not seen.',
        ),
      })
      .optional()
      .describe('Instead of `alert_ids`: every open alert that matches, as in `GET /alerts`.'),
  })
  .refine(
    ({ alert_ids, filter }) => (alert_ids === undefined) !== (filter === undefined),
    invalid('one_of_two', { one: 'alert_ids', other: 'filter' }),
  )
  .openapi('BulkAcknowledge', { example: { alert_ids: [exampleId('alert_id')] } })
export const BulkAcknowledged = z
  .object({
    acknowledged_count: z.int().describe('Alerts acknowledged by this call.'),
    already_acknowledged_ids: z.array(Id).describe('Alerts that were acknowledged before; empty with `filter`.'),
    not_found_ids: z.array(Id).describe('Ids that name no alert of the tenant; empty with `filter`.'),
    remaining_count: z.int().describe('With `filter`: matches beyond the most that a call acknowledges; repeat it. Else 0.'),
  })
  .openapi('BulkAcknowledged', {
    example: { acknowledged_count: 1, already_acknowledged_ids: [], not_found_ids: [], remaining_count: 0 },
  })

export const AlertSnooze = z
  .object({ snooze_until: rangeEnd('start').describe('A date or datetime in the future, at most 30 days away.') })
  .openapi('AlertSnooze', { example: { snooze_until: '2026-02-01T06:00:00Z' } })

const example = { author_name: 'Olga Operator', body: 'The bearing is ordered.' }
export const CommentBody = z
  .object({
    id: Id.describe('Identifies the comment.'),
    author_id: Id.describe('The user who wrote it.'),
    author_name: z.string().describe('The name of the author as it was when the comment was written.'),
    body: z.string().describe('The text.'),
    created_at: Instant.describe('When it was written.'),
    updated_at: Instant.describe('When it was last changed.'),
  })
  .openapi('Comment', { example })
export const CommentList = z
  .object({
    items: z.array(CommentBody).describe('All comments, oldest first.'),
    total: z.int().describe('How many there are.'),
  })
  .openapi('CommentList', { example: { total: 1 } })
export const CommentCreate = z
  .object({ body: text(2_000).describe('The text, 1 to 2,000 characters.') })
  .openapi('CommentCreate', { example: { body: example.body } })

const HistoryEntry = z
  .object({
    event: z.enum(['raised', ...ALERT_EVENTS]).describe('What happened.'),
    at: Instant.describe('When it happened.'),
    actor: z
      .object({
        kind: z.string().describe('`user`, `api_key` or `operator` (the command line of the hub).'),
        id: z.string().nullable().describe('Id of the user or API key; null for the operator.'),
        name: z.string().nullable().describe('E-mail address or key name, as it was then.'),
      })
      .nullable()
      .describe('Who did it; null: the hub, by readings or by the clock.'),
    details: z
      .record(z.string(), z.string())
      .nullable()
      .describe('Of `snoozed`: `until`. Of `escalated`: the policy and the channel. Else null.'),
  })
  .openapi('AlertHistoryEntry', { example: { event: 'raised', actor: null, details: null } })
export const HistoryPage = pageOf(HistoryEntry).openapi('AlertHistoryPage')
