import { COMPARISONS, OPERATORS, SEVERITIES } from '../../../../db/enums.ts'
import { RecordVersion } from '../../../../support/http/record-version.ts'
import { FiniteNumber, Id, Instant, text } from '../../../../support/http/shapes.ts'
import { z } from '../../../../support/http/z.ts'

/** 30 days: a late reading loads stored readings this far back, at most 200,000. */
const MAX_SECONDS = 30 * 86_400

const Condition = z.object({
  metric: text(100).describe('A metric of the machine. Its newest reading counts, in any unit.'),
  op: z.enum(COMPARISONS).describe('How the reading is compared with `value`.'),
  value: FiniteNumber.describe('The value that the reading is compared with.'),
  duration_seconds: z
    .int('must be a whole number')
    .min(0, 'must be at least 0')
    .max(MAX_SECONDS, `must be at most ${MAX_SECONDS}`)
    .optional()
    .describe(
      `Seconds, 0 to ${MAX_SECONDS}, for which the condition must hold without a break, by reading time. Absent or 0: at once. Without a further reading the rule waits as much longer as the newest one arrived late.`,
    ),
})

export const ExpressionShape = z
  .object({
    operator: z
      .enum(OPERATORS)
      .default('AND')
      .describe('`AND`: all conditions must be true; `OR`: one is enough. Default: `AND`.'),
    conditions: z
      .array(Condition)
      .min(1, 'must have at least 1 condition')
      .max(10, 'must have at most 10 conditions')
      .describe('1 to 10 conditions. An alert names the first true one in this order.'),
  })
  .openapi('CompositeExpression', {
    description: 'When a composite rule is true.',
    example: {
      operator: 'AND',
      conditions: [
        { metric: 'oil_temperature', op: '>', value: 70, duration_seconds: 60 },
        { metric: 'vibration', op: '>=', value: 4.5 },
      ],
    },
  })

const severity = z.enum(SEVERITIES).describe('Of its alerts. `info` does not change the status of the machine.')
const example = { name: 'Hot and shaking', description: 'The bearing begins to fail.', severity: 'critical' }

export const CompositeBody = z
  .object({
    id: Id.describe('Identifies the rule: the `rule_id` of paths and of other responses.'),
    machine_id: Id.describe('The machine whose readings it evaluates.'),
    name: z.string().describe('The name that people see.'),
    description: z.string().nullable().describe('The purpose of the rule; null without one.'),
    expression: ExpressionShape,
    severity,
    is_active: z.boolean().describe('Whether it evaluates readings.'),
    created_at: Instant.describe('When it was created.'),
    version: RecordVersion,
  })
  .openapi('CompositeRule', { example })

const fields = {
  machine_id: Id.describe('The machine whose readings to evaluate.'),
  name: text(255).describe('The name that people see.'),
  description: text(4_000, 0)
    .nullish()
    .describe('The purpose of the rule; up to 4,000 characters, null or an empty string for none.'),
  expression: ExpressionShape,
  severity,
}
export const CompositeCreate = z
  .object({ ...fields, is_active: z.boolean().default(true).describe('Whether it evaluates readings. Default: true.') })
  .openapi('CompositeRuleCreate', { example })
export const CompositePut = z
  .object({ ...fields, is_active: z.boolean().describe('Whether it evaluates readings.') })
  .partial()
  .openapi('CompositeRulePut', { example: { severity: 'warning' } })
