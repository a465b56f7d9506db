import { OEE_LOSS_CATEGORIES, REASON_TYPES } from '../../../db/enums.ts'
import { RecordVersion } from '../../../support/http/record-version.ts'
import { Id, Instant, pathId, QueryBoolean, text } from '../../../support/http/shapes.ts'
import { z } from '../../../support/http/z.ts'

/** Maximum per tenant, because one answer lists all of them. */
export const MAX_REASON_CODES = 1_000

export const ReasonCodeParams = z.object({
  code_id: pathId('reason code').describe('The reason code, from `GET /reason-codes`.'),
})

const categoryText = 'The type of downtime that records get by this code, unless they state their own.'
const lossText =
  'Where OEE counts the time: `availability_loss`, `performance_loss` or `quality_loss`; `not_scheduled` is no planned production time.'
const Category = z.enum(REASON_TYPES, { error: `must be one of ${REASON_TYPES.join(', ')}` }).describe(categoryText)
const Loss = z.enum(OEE_LOSS_CATEGORIES, { error: `must be one of ${OEE_LOSS_CATEGORIES.join(', ')}` }).describe(lossText)

const fields = {
  code: text(50).describe('A short code for people and tools, unique in the tenant, 1 to 50 characters.'),
  label: text(200).describe('The name that people see, 1 to 200 characters.'),
  category: Category,
  oee_loss_category: Loss,
  description: z
    .union([z.literal(''), text(10_000)])
    .nullable()
    .transform((value) => value || null)
    .describe('When to use the code, up to 10,000 characters; null or an empty string clears it.'),
  parent_id: Id.nullable().describe('The code above; null: none.'),
  sort_order: z
    .int()
    .min(-1_000_000, 'must be at least -1000000')
    .max(1_000_000, 'must be at most 1000000')
    .describe('Lists show lower numbers first. Default: 0.'),
}
const example = {
  code: 'jam.infeed',
  label: 'Jam at the infeed',
  category: 'unplanned',
  oee_loss_category: 'availability_loss',
  description: null,
  parent_id: null,
  sort_order: 0,
} as const

export const ReasonCodeCreate = z
  .object(fields)
  .partial()
  .required({ code: true, label: true, category: true, oee_loss_category: true })
  .openapi('ReasonCodeCreate', {
    example: { code: example.code, label: example.label, category: example.category, oee_loss_category: 'availability_loss' },
  })
export const ReasonCodePut = z
  .object({
    ...fields,
    is_active: z.boolean().describe('False: new records cannot use the code; existing ones keep it.'),
  })
  .partial()
  .openapi('ReasonCodePut', { example: { label: 'Jam at the infeed belt' } })

const shown = {
  id: Id.describe('Identifies the code: the `code_id` of paths, the `reason_code_id` of records.'),
  code: z.string().describe('The short code.'),
  label: z.string().describe('The name that people see.'),
  category: z.enum(REASON_TYPES).describe(categoryText),
  oee_loss_category: z.enum(OEE_LOSS_CATEGORIES).describe(lossText),
}
const rest = {
  description: z.string().nullable().describe('When to use the code; null when not given.'),
  parent_id: Id.nullable().describe('The code above; null: none.'),
  is_active: z.boolean().describe('Whether new records may use it.'),
  sort_order: z.int().describe('Lists show lower numbers first.'),
  created_at: Instant.describe('When the code was created.'),
  version: RecordVersion,
}
export const ReasonCodeBody = z.object({ ...shown, ...rest }).openapi('ReasonCode', { example: { ...example, is_active: true } })
/** As a downtime record shows its code. */
export const EmbeddedReasonCode = z.object(shown).openapi('EmbeddedReasonCode', {
  example: {
    code: 'breakdown.mechanical',
    label: 'Mechanical failure',
    category: 'unplanned',
    oee_loss_category: 'availability_loss',
  },
})

export interface ReasonCodeNode extends z.infer<typeof ReasonCodeBody> {
  children: ReasonCodeNode[]
}
export const ReasonCodeTree = z
  .object({
    ...shown,
    ...rest,
    get children() {
      return z.array(ReasonCodeTree).describe('The codes directly below, in the order of the list.')
    },
  })
  .openapi('ReasonCodeNode', { example: { ...example, is_active: true, children: [] } }) as unknown as z.ZodType<
  ReasonCodeNode,
  ReasonCodeNode
>

export const ReasonCodeQuery = z.object({
  active_only: QueryBoolean.default(true).openapi({ description: '`false` lists inactive codes too.', example: true }),
})
