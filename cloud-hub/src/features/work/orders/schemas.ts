import { PRIORITIES, WORK_ORDER_EVENTS, WORK_ORDER_STATUSES } from '../../../db/enums.ts'
import { RecordVersion } from '../../../support/http/record-version.ts'
import { Id, Instant, Paging, pathId, QueryBoolean, rangeEnd, text } from '../../../support/http/shapes.ts'
import { z } from '../../../support/http/z.ts'
import { AlertFacts } from '../../alerting/alerts/index.ts'
import { ofGroup } from '../../plant/machine-groups/index.ts'
import { MachineName } from '../../plant/machines/index.ts'

const MAX_ASSIGNEES = 50

export const OrderParams = z.object({ work_order_id: pathId('work order').describe('The work order, from `GET /work-orders`.') })

/** An empty string clears an optional text, as null does. */
const optionalText = (max: number) =>
  z
    .union([z.literal(''), text(max)])
    .nullable()
    .transform((value) => value || null)

const status = z
  .enum(WORK_ORDER_STATUSES)
  .describe(
    '`open` and `in_progress` lead to each other, to `completed` and to `cancelled`. `completed` leads back to `in_progress` while nobody has signed, `cancelled` to `open`.',
  )
const priority = z.enum(PRIORITIES).describe('How urgent it is.')
const title = 'What is to be done, in one line.'
const assignedTo = 'The primary assignee, an active user of the tenant'
const assigneeIds = 'Additional assignees, active users of the tenant, in the order given'

export const OrderBody = z
  .object({
    id: Id.describe('Identifies the work order: the `work_order_id` of paths and of other responses.'),
    machine_id: Id.describe('The machine that it is about.'),
    machine_name: MachineName,
    alert_id: Id.nullable().describe('The alert that it was created from; null: none.'),
    maintenance_event_id: Id.nullable().describe('The maintenance event that it was created from; null: none.'),
    title: z.string().describe(title),
    title_facts: AlertFacts.nullable().describe(
      'What the title says, while it is the `message` of the alert that the work order was created from: a client can word it in the language of its reader. Null: a person wrote the title.',
    ),
    description: z.string().nullable().describe('What is to be done, in detail; null when not given.'),
    status,
    priority,
    assigned_to: Id.nullable().describe(`${assignedTo}; null: unassigned.`),
    assignee_ids: z.array(Id).describe(`${assigneeIds}.`),
    due_date: Instant.nullable().describe('Until when it is to be done; null: no date.'),
    completed_at: Instant.nullable().describe('When it was completed; null unless it is.'),
    completion_notes: z.string().nullable().describe('What was found and done; null when not given.'),
    signoff_count: z.int().describe('How many people have signed it. With a sign-off it can no longer be changed.'),
    created_by: Id.describe('The user who created it.'),
    created_at: Instant.describe('When it was created.'),
    updated_at: Instant.describe('When it was last changed.'),
    version: RecordVersion,
  })
  .openapi('WorkOrder', {
    example: {
      machine_name: 'Press 1',
      alert_id: null,
      maintenance_event_id: null,
      title: 'Replace the bearing',
      title_facts: null,
      description: 'Spindle side; the spare part is in rack 4.',
      status: 'open',
      priority: 'high',
      assigned_to: null,
      assignee_ids: [],
      due_date: '2026-02-02T12:00:00.000Z',
      completed_at: null,
      completion_notes: null,
      signoff_count: 0,
    },
  })

const changeable = {
  title: text(255).describe(`${title} 1 to 255 characters.`),
  description: optionalText(10_000).describe(
    'What is to be done, in detail, up to 10,000 characters; null or an empty string clears it.',
  ),
  priority,
  assigned_to: Id.nullable().describe(`${assignedTo}; null: unassigned.`),
  assignee_ids: z
    .array(Id)
    .max(MAX_ASSIGNEES, `may hold at most ${MAX_ASSIGNEES} ids`)
    .transform((ids) => [...new Set(ids)])
    .describe(`${assigneeIds}, at most ${MAX_ASSIGNEES}.`),
  due_date: rangeEnd('end').nullable().describe('A date or a datetime; a date means the end of that day (UTC). Null: no date.'),
}

export const OrderCreate = z
  .object({
    machine_id: Id.describe('The machine that it is about.'),
    alert_id: Id.nullable().describe('The alert that is its cause; of the same machine, and without another open work order.'),
    ...changeable,
  })
  .partial()
  .required({ machine_id: true, title: true })
  .openapi('WorkOrderCreate', {
    example: {
      title: 'Replace the bearing',
      description: 'Spindle side; the spare part is in rack 4.',
      priority: 'high',
      due_date: '2026-02-02T12:00:00.000Z',
    },
  })

export const OrderPatch = z
  .object({
    ...changeable,
    status,
    completion_notes: optionalText(10_000).describe(
      'What was found and done, up to 10,000 characters; null or an empty string clears it.',
    ),
  })
  .partial()
  .openapi('WorkOrderPatch', { example: { status: 'completed', completion_notes: 'Bearing replaced, vibration is 1.9 mm/s.' } })

const SORT_COLUMNS = ['created_at', 'updated_at', 'due_date', 'priority', 'status', 'title'] as const

export const OrderQuery = z.object({
  ...Paging,
  machine_id: Id.optional().describe('Only work orders of this machine.'),
  group_id: ofGroup('work orders of machines'),
  alert_id: Id.optional().describe('Only work orders that were created from this alert.'),
  status: z
    .array(z.enum(WORK_ORDER_STATUSES))
    .optional()
    .openapi({ description: 'Only work orders with one of these statuses: repeated, or with commas.', example: ['open'] }),
  priority: z
    .array(z.enum(PRIORITIES))
    .optional()
    .openapi({ description: 'Only work orders with one of these priorities: repeated, or with commas.', example: ['high'] }),
  assigned_to: Id.optional().describe('Only work orders with this user as primary or additional assignee.'),
  overdue: QueryBoolean.optional().openapi({
    description: '`true`: only open or started work orders past their due date; `false`: all others.',
    example: false,
  }),
  search: z.string().max(200, 'must have at most 200 characters').optional().openapi({
    description: 'Only work orders whose title, description or completion notes contain this text; case does not matter.',
    example: 'bearing',
  }),
  sort_by: z
    .enum(SORT_COLUMNS)
    .default('created_at')
    .describe(
      'The field that orders the list: priorities by urgency, statuses in the order of work. Without a due date comes last.',
    ),
  sort_dir: z.enum(['asc', 'desc']).default('desc').describe('Ascending or descending.'),
})

export const OrderList = z
  .object({
    items: z.array(OrderBody).describe('The work orders of this page.'),
    total: z.int().describe('Work orders on all pages together.'),
  })
  .openapi('WorkOrderList', { example: { total: 1 } })

export const InstructionParams = OrderParams.extend({
  instruction_id: pathId('instruction').describe('The instruction, from `GET /work-orders/{work_order_id}/instructions`.'),
})

/** That of an integer in PostgreSQL: the order has no limit of its own. */
const MAX_INTEGER = 2 ** 31 - 1
const stepOrder = 'Its place in the order. Several instructions may share one; the one that was created first comes first.'
const attachment = 'An attachment of the same work order, such as a drawing'

export const InstructionBody = z
  .object({
    id: Id.describe('Identifies the instruction.'),
    work_order_id: Id.describe('The work order that it belongs to.'),
    step_order: z.int().describe(stepOrder),
    title: z.string().describe(title),
    body: z.string().nullable().describe('What is to be done, in detail; null when not given.'),
    attachment_id: Id.nullable().describe(`${attachment}; null: none.`),
    is_completed: z.boolean().describe('Whether it was ticked off.'),
    completed_at: Instant.nullable().describe('When it was ticked off; null before.'),
    completed_by: Id.nullable().describe('The user who ticked it off; null before.'),
    created_by: Id.describe('The user who added it.'),
    created_at: Instant.describe('When it was added.'),
    updated_at: Instant.describe('When it was last changed.'),
    version: RecordVersion,
  })
  .openapi('Instruction', {
    example: {
      step_order: 1,
      title: 'Lock out the press',
      body: 'Main switch Q1; keep the key.',
      attachment_id: null,
      is_completed: false,
      completed_at: null,
      completed_by: null,
    },
  })
export const InstructionList = z
  .object({
    items: z.array(InstructionBody).describe('All instructions, by `step_order`, then by creation.'),
    total: z.int().describe('How many there are.'),
  })
  .openapi('InstructionList', { example: { total: 1 } })

const instructionFields = {
  step_order: z
    .int()
    .min(1, 'must be at least 1')
    .max(MAX_INTEGER, `must be at most ${MAX_INTEGER}`)
    .describe(`${stepOrder} From 1.`),
  title: text(255).describe(`${title} 1 to 255 characters.`),
  body: optionalText(5_000).describe('What is to be done, in detail, up to 5,000 characters; null or an empty string clears it.'),
  attachment_id: Id.nullable().describe(`${attachment}; null: none.`),
}
const example = { step_order: 1, title: 'Lock out the press', body: 'Main switch Q1; keep the key.' }
export const InstructionCreate = z
  .object(instructionFields)
  .partial()
  .required({ step_order: true, title: true })
  .openapi('InstructionCreate', { example })
export const InstructionPatch = z
  .object({ ...instructionFields, is_completed: z.boolean().describe('True ticks it off, false takes that back.') })
  .partial()
  .openapi('InstructionPatch', { example: { is_completed: true } })

const Entry = z
  .object({
    event: z.enum(WORK_ORDER_EVENTS).describe('What happened.'),
    at: Instant.describe('When it happened.'),
    actor: z
      .object({
        kind: z.string().describe('`user`, or `operator` (the command line of the hub).'),
        id: z.string().nullable().describe('Id of the user; null for the operator.'),
        name: z.string().nullable().describe('E-mail address, as it was then.'),
      })
      .nullable()
      .describe('Who did it; null: the hub.'),
    subject: z
      .object({
        id: z.string().describe('Id of the instruction, attachment, sign-off or user.'),
        name: z.string().nullable().describe('Its title, file name or name, as it was then.'),
      })
      .nullable()
      .describe('What the event is about; null: the work order itself.'),
    changes: z
      .record(
        z.string(),
        z.object({ from: z.unknown().describe('The value before.'), to: z.unknown().describe('The value afterwards.') }),
      )
      .nullable()
      .describe('The fields that changed, each with its value before and after; null where the event says everything.'),
  })
  .openapi('WorkOrderHistoryEntry', {
    example: { event: 'updated', actor: null, subject: null, changes: { status: { from: 'open', to: 'in_progress' } } },
  })
export const History = z
  .object({
    items: z.array(Entry).describe('The entries of this page, oldest first.'),
    total: z.int().describe('Entries on all pages together.'),
  })
  .openapi('WorkOrderHistory', { example: { total: 1 } })
