import { SEVERITIES } from '../../../db/tables/alerts.ts'
import { COMPARISONS, OPERATORS } from '../../../db/tables/composite-rules.ts'
import { FiniteNumber, Id, Instant, text } from '../../../support/http/shapes.ts'
import { z } from '../../../support/http/z.ts'

/** 30 days: what a late reading can change is looked for so far back, at most 200,000 readings. */
const MOST_SECONDS = 30 * 86_400

const Condition = z.object({
  metric: text(100).openapi({ description: 'of the machine; the newest reading counts, in whatever unit' }),
  op: z.enum(COMPARISONS),
  value: FiniteNumber,
  duration_seconds: z
    .int('must be a whole number')
    .min(0, 'must be at least 0')
    .max(MOST_SECONDS, `must be at most ${MOST_SECONDS}`)
    .optional()
    .openapi({ description: 'how long it must hold without a break, by reading time' }),
})

export const ExpressionShape = z
  .object({
    operator: z.enum(OPERATORS).default('AND'),
    conditions: z.array(Condition).min(1, 'must have at least 1 condition').max(10, 'must have at most 10 conditions'),
  })
  .openapi('CompositeExpression')

export const CompositeBody = z
  .object({
    id: Id,
    machine_id: Id,
    name: z.string(),
    description: z.string().nullable(),
    expression: ExpressionShape,
    severity: z.enum(SEVERITIES),
    is_active: z.boolean(),
    created_at: Instant,
  })
  .openapi('CompositeRule')

const fields = {
  machine_id: Id,
  name: text(255),
  description: text(4_000, 0).nullish(),
  expression: ExpressionShape,
  severity: z.enum(SEVERITIES),
}
export const CompositeCreate = z.object({ ...fields, is_active: z.boolean().default(true) }).openapi('CompositeRuleCreate')
export const CompositePut = z
  .object({ ...fields, is_active: z.boolean() })
  .partial()
  .openapi('CompositeRulePut')
