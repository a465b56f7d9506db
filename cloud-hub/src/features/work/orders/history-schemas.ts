import { WORK_ORDER_EVENTS } from '../../../db/enums.ts'
import { Instant } from '../../../support/http/shapes.ts'
import { z } from '../../../support/http/z.ts'

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
