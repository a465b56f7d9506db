import { RecordVersion } from '../../../support/http/record-version.ts'
import { FiniteNumber, Id, Instant, pathId, text } from '../../../support/http/shapes.ts'
import { invalid } from '../../../support/http/validation-message.ts'
import { z } from '../../../support/http/z.ts'

export const RuleParams = z.object({ rule_id: pathId('rule').describe('The rule, from its list.') })
export const RuleQuery = z.object({ machine_id: Id.optional().describe('Only rules that concern this machine.') })

export const RuleBody = z
  .object({
    id: Id.describe('Identifies the rule: the `rule_id` of paths and of other responses.'),
    tenant_id: Id.describe('The tenant that it belongs to.'),
    machine_id: Id.nullable().describe('The machine whose readings it evaluates; null: all machines.'),
    metric_name: z.string().describe('The metric that it evaluates, in any unit.'),
    warning_threshold: z.number().describe('Beyond this value the rule warns.'),
    critical_threshold: z
      .number()
      .describe(
        'Beyond this value it is critical. Above `warning_threshold` the rule watches for high values, below for low ones.',
      ),
    is_active: z.boolean().describe('Whether it evaluates readings.'),
    created_by: Id.describe('The user who created it.'),
    created_at: Instant.describe('When it was created.'),
    version: RecordVersion,
  })
  .openapi('AlertRule', {
    example: { machine_id: null, metric_name: 'vibration', warning_threshold: 4.5, critical_threshold: 7.1 },
  })

export const RuleCreate = z
  .object({
    machine_id: Id.nullish().describe('The machine whose readings to evaluate; absent or null: all machines.'),
    metric_name: text(100).describe('The metric to evaluate, in any unit.'),
    warning_threshold: FiniteNumber.describe('Beyond this value the rule warns.'),
    critical_threshold: FiniteNumber.describe('Beyond this value it is critical. It differs from `warning_threshold`.'),
    is_active: z.boolean().default(true).describe('Whether it evaluates readings. Default: true.'),
  })
  .refine((rule) => rule.warning_threshold !== rule.critical_threshold, {
    path: ['critical_threshold'],
    ...invalid('equal_thresholds'),
  })
  .openapi('AlertRuleCreate', { example: { metric_name: 'vibration', warning_threshold: 4.5, critical_threshold: 7.1 } })

export const RulePut = z
  .object({
    warning_threshold: FiniteNumber.describe('Beyond this value the rule warns.'),
    critical_threshold: FiniteNumber.describe('Beyond this value it is critical. It differs from `warning_threshold`.'),
    is_active: z.boolean().describe('Whether it evaluates readings.'),
  })
  .partial()
  .openapi('AlertRulePut', { example: { warning_threshold: 4, critical_threshold: 7 } })
