import { COMPARISONS, RULE_KINDS, SEVERITIES } from '../../../db/enums.ts'
import type { alerts } from '../../../db/tables/alerts.ts'
import { z } from '../../../support/http/z.ts'

/** What the sentence of an alert says beside the name of its machine, so that a client can word it in the language of its reader. */
export const FACTS = {
  severity: z.enum(SEVERITIES).describe('How serious it is.'),
  metric_name: z
    .string()
    .describe('The metric that crossed its threshold; of a composite rule that of the first true condition.'),
  unit: z.string().describe('The unit of the two values.'),
  trigger_value: z.number().describe('The value that raised it.'),
  threshold_value: z.number().describe('The threshold that the value crossed.'),
  comparison: z
    .enum(COMPARISONS)
    .nullable()
    .describe('How the value compares with the threshold; null for an alert from before this was stored.'),
  rule_kind: z.enum(RULE_KINDS).nullable().describe('What kind of rule raised it; null where `comparison` is null.'),
  rule_name: z
    .string()
    .nullable()
    .describe(
      'The name that the composite rule had then; null for a threshold rule, which has none, and where `comparison` is null.',
    ),
}

export const FACTS_EXAMPLE = {
  severity: 'critical',
  metric_name: 'vibration',
  unit: 'mm/s',
  trigger_value: 7.4,
  threshold_value: 7.1,
  comparison: '>',
  rule_kind: 'threshold',
  rule_name: null,
} as const

export const AlertFacts = z.object(FACTS)

/** The columns that {@link presentFacts} needs. */
export type FactsRow = Pick<
  typeof alerts.$inferSelect,
  'severity' | 'metricName' | 'unit' | 'triggerValue' | 'thresholdValue' | 'comparison' | 'ruleName'
>

/** As the API shows them. */
export const presentFacts = (row: FactsRow): z.output<typeof AlertFacts> => ({
  severity: row.severity,
  metric_name: row.metricName,
  unit: row.unit,
  trigger_value: row.triggerValue,
  threshold_value: row.thresholdValue,
  comparison: row.comparison,
  rule_kind: row.ruleName !== null ? 'composite' : row.comparison !== null ? 'threshold' : null,
  rule_name: row.ruleName,
})

/** A value rounded to six digits for people, unless rounding would move it to the threshold that it crossed. */
export function displayValue(value: number, threshold: number): number {
  const short = Number(value.toPrecision(6))
  return short === threshold ? value : short
}
