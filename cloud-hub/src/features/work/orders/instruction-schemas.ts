import { Id, Instant, pathId, text } from '../../../support/http/shapes.ts'
import { z } from '../../../support/http/z.ts'
import { OrderParams, optionalText } from './schemas.ts'

export const InstructionParams = OrderParams.extend({
  instruction_id: pathId('instruction').describe('The instruction, from `GET /work-orders/{work_order_id}/instructions`.'),
})

/** That of an integer in PostgreSQL: the order has no limit of its own. */
const MAX_INTEGER = 2 ** 31 - 1
const title = 'What is to be done, in one line.'
const order = 'Its place in the order. Several instructions may share one; the one that was created first comes first.'
const attachment = 'An attachment of the same work order, such as a drawing'

export const InstructionBody = z
  .object({
    id: Id.describe('Identifies the instruction.'),
    work_order_id: Id.describe('The work order that it belongs to.'),
    step_order: z.int().describe(order),
    title: z.string().describe(title),
    body: z.string().nullable().describe('What is to be done, in detail; null when not given.'),
    attachment_id: Id.nullable().describe(`${attachment}; null: none.`),
    is_completed: z.boolean().describe('Whether it was ticked off.'),
    completed_at: Instant.nullable().describe('When it was ticked off; null before.'),
    completed_by: Id.nullable().describe('The user who ticked it off; null before.'),
    created_by: Id.describe('The user who added it.'),
    created_at: Instant.describe('When it was added.'),
    updated_at: Instant.describe('When it was last changed.'),
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

const fields = {
  step_order: z
    .int()
    .min(1, 'must be at least 1')
    .max(MAX_INTEGER, `must be at most ${MAX_INTEGER}`)
    .describe(`${order} From 1.`),
  title: text(255).describe(`${title} 1 to 255 characters.`),
  body: optionalText(5_000).describe('What is to be done, in detail, up to 5,000 characters; null or an empty string clears it.'),
  attachment_id: Id.nullable().describe(`${attachment}; null: none.`),
}
const example = { step_order: 1, title: 'Lock out the press', body: 'Main switch Q1; keep the key.' }
export const InstructionCreate = z
  .object(fields)
  .partial()
  .required({ step_order: true, title: true })
  .openapi('InstructionCreate', { example })
export const InstructionPatch = z
  .object({ ...fields, is_completed: z.boolean().describe('True ticks it off, false takes that back.') })
  .partial()
  .openapi('InstructionPatch', { example: { is_completed: true } })
