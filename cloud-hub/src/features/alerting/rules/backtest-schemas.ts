import { SEVERITIES } from '../../../db/enums.ts'
import { FiniteNumber, Id, Instant, rangeEnd, text } from '../../../support/http/shapes.ts'
import { z } from '../../../support/http/z.ts'
import { ExpressionShape } from './composite/schemas.ts'

/** Maximum of alerts in a response; the counts include all. */
export const MAX_ALERTS = 1_000

export const Backtest = z
  .object({
    machine_id: Id.nullish().describe(
      'The machine whose readings to evaluate; absent or null: every machine. An expression needs one.',
    ),
    metric_name: text(100).optional().describe('The metric of the thresholds; not together with an expression.'),
    warning_threshold: FiniteNumber.optional().describe('Beyond this value the rule would warn. Needed with `metric_name`.'),
    critical_threshold: FiniteNumber.optional().describe(
      'Beyond this value it would be critical. Needed with `metric_name`; it differs from `warning_threshold`.',
    ),
    expression: ExpressionShape.optional().describe('The expression of a composite rule, instead of thresholds.'),
    severity: z.enum(SEVERITIES).default('warning').describe('Of the alerts of an expression. Default: `warning`.'),
    start: rangeEnd('start')
      .optional()
      .describe('The begin, a date or datetime, at most 30 days before `end`. Default: 7 days before it.'),
    end: rangeEnd('end').optional().describe('The end, a date or datetime. Default: now.'),
  })
  .openapi('RuleBacktest', { example: { metric_name: 'vibration', warning_threshold: 4.5, critical_threshold: 7.1 } })

const AlertBody = z.object({
  machine_id: Id.describe('The machine that the alert would have been about.'),
  metric_name: z.string().describe('The metric that crossed its threshold.'),
  unit: z.string().describe('The unit of the values.'),
  severity: z.enum(SEVERITIES).describe('How serious the alert would have been.'),
  trigger_value: z.number().describe('The value that would have raised it.'),
  threshold_value: z.number().describe('The threshold that the value crossed.'),
  triggered_at: Instant.describe('Timestamp of the reading that would have raised it.'),
  cleared_at: Instant.nullable().describe('When the condition ended; null when it was still true at the end.'),
})
export const BacktestBody = z
  .object({
    start: Instant.describe('The begin of the readings that were evaluated.'),
    end: Instant.describe('Their end.'),
    alert_count: z.int().describe('How many alerts the rule would have raised.'),
    alerts: z.array(AlertBody).describe(`Oldest first; the first ${MAX_ALERTS.toLocaleString('en')} of them.`),
  })
  .openapi('RuleBacktestResult', {
    example: {
      start: '2026-01-24T12:00:00.000Z',
      end: '2026-01-31T12:00:00.000Z',
      alert_count: 1,
      alerts: [
        {
          machine_id: '0198c7d4-5a00-7000-8000-0000f5a48bee',
          metric_name: 'vibration',
          unit: 'mm/s',
          severity: 'critical',
          trigger_value: 7.4,
          threshold_value: 7.1,
          triggered_at: '2026-01-30T08:15:00.000Z',
          cleared_at: null,
        },
      ],
    },
  })
