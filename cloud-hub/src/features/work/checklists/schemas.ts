import { RecordVersion } from '../../../support/http/record-version.ts'
import { Id, Instant, pathId, text } from '../../../support/http/shapes.ts'
import { z } from '../../../support/http/z.ts'

/** Maximum per tenant, because one answer lists all of them. */
export const MAX_CHECKLISTS = 500
const MAX_STEPS = 100

export const ChecklistParams = z.object({
  checklist_id: pathId('checklist').describe('The checklist, from `GET /checklists`.'),
})

const Step = z
  .object({
    title: text(255).describe('What to do, up to 255 characters.'),
    body: z
      .union([z.literal(''), text(5_000)])
      .nullish()
      .transform((value) => value || null)
      .describe('How to do it, up to 5,000 characters; null: no more than the title.'),
  })
  .openapi('ChecklistStep', { example: { title: 'Drain the oil', body: null } })
const fields = {
  name: text(200).describe('The name that people see, unique in the tenant without regard to case.'),
  steps: z
    .array(Step)
    .min(1, 'must hold at least one step')
    .max(MAX_STEPS, `must hold at most ${MAX_STEPS} steps`)
    .describe('The instructions of a work order, in their order; 1 to 100.'),
}
const example = {
  name: 'Oil change',
  steps: [
    { title: 'Lock the machine', body: 'Main switch, padlock, tag.' },
    { title: 'Drain the oil', body: null },
  ],
}
export const ChecklistCreate = z.object(fields).openapi('ChecklistCreate', { example })
export const ChecklistPut = z
  .object(fields)
  .partial()
  .openapi('ChecklistPut', { example: { name: 'Oil and filter' } })
export const ChecklistBody = z
  .object({
    id: Id.describe('Identifies the checklist: the `checklist_id` of maintenance events.'),
    name: z.string().describe('The name that people see.'),
    steps: z
      .array(
        z.object({
          title: z.string().describe('What to do.'),
          body: z.string().nullable().describe('How to do it; null: no more than the title.'),
        }),
      )
      .describe('The instructions of a work order, in their order.'),
    created_by: Id.describe('The admin who created it.'),
    created_at: Instant.describe('When it was created.'),
    updated_at: Instant.describe('When it was last changed.'),
    version: RecordVersion,
  })
  .openapi('Checklist', { example })
