import { FiniteNumber, Id, Instant, pathId, text } from '../../support/http/shapes.ts'
import { z } from '../../support/http/z.ts'

export const RuleParams = z.object({ rule_id: pathId('rule') })
export const RuleQuery = z.object({ machine_id: Id.optional() })

export const RuleBody = z
  .object({
    id: Id,
    tenant_id: Id,
    machine_id: Id.nullable(),
    metric_name: z.string(),
    warning_threshold: z.number(),
    critical_threshold: z.number(),
    is_active: z.boolean(),
    created_by: Id,
    created_at: Instant,
  })
  .openapi('AlertRule')

export const MUST_DIFFER = 'must differ from warning_threshold: above it the rule watches for high values, below it for low ones'

export const RuleCreate = z
  .object({
    machine_id: Id.nullish(),
    metric_name: text(100),
    warning_threshold: FiniteNumber,
    critical_threshold: FiniteNumber,
    is_active: z.boolean().default(true),
  })
  .refine((rule) => rule.warning_threshold !== rule.critical_threshold, { path: ['critical_threshold'], message: MUST_DIFFER })
  .openapi('AlertRuleCreate')

export const RulePut = z
  .object({ warning_threshold: FiniteNumber, critical_threshold: FiniteNumber, is_active: z.boolean() })
  .partial()
  .openapi('AlertRulePut')
