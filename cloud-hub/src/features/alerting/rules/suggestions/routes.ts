import { languageOf } from '@haltless/protocol/languages'
import type { TenantScope } from '../../../../db/scope.ts'
import type { ReadingStore } from '../../../../readings/index.ts'
import { routeFor } from '../../../../support/http/route.ts'
import { Id } from '../../../../support/http/shapes.ts'
import { z } from '../../../../support/http/z.ts'
import { suggestThresholds } from './suggest.ts'
import { numberIn, TEXTS } from './texts.ts'

const SuggestionList = z
  .object({
    suggestions: z
      .array(
        z.object({
          metric_name: z.string().describe('The `metric_name` for a rule.'),
          unit: z.string().describe('The unit of the values.'),
          suggested_warning: z.number().describe('The suggested `warning_threshold`.'),
          suggested_critical: z.number().describe('The suggested `critical_threshold`.'),
          reason: z.string().describe('How the thresholds were computed, as a sentence in `language`.'),
          basis: z
            .object({
              reading_count: z.int().describe('How many readings.'),
              machine_count: z.int().describe('Of how many machines.'),
              median: z.number().describe('Their median, in `unit`, of the machine that decides.'),
              deviation: z.number().describe('Their standard deviation, single outliers aside, in `unit`.'),
              is_high: z.boolean().describe('Whether the thresholds are above the median, or below it.'),
            })
            .describe('What the thresholds were computed from.'),
          existing_rule_id: Id.nullable().describe(
            'An existing rule for the metric, preferably one for all machines; null: none.',
          ),
        }),
      )
      .describe('One entry for each metric and unit.'),
    message: z.string().describe('A summary, as a sentence in `language`.'),
  })
  .openapi('RuleSuggestions', {
    example: {
      suggestions: [
        {
          metric_name: 'vibration',
          unit: 'mm/s',
          suggested_warning: 4.5,
          suggested_critical: 7.1,
          reason: 'In the last 7 days 10,080 readings of one machine were usually 2.1 mm/s, give or take 0.8.',
          basis: { reading_count: 10_080, machine_count: 1, median: 2.1, deviation: 0.8, is_high: true },
          existing_rule_id: null,
        },
      ],
      message: 'A suggestion from what was normal in the last 7 days.',
    },
  })

export const suggestionRoutes = (store: ReadingStore) => [
  routeFor<TenantScope>()(
    {
      method: 'get',
      path: '/alert-rules/suggestions',
      operation: 'suggestAlertRules',
      access: 'any',
      tag: 'Alert rules',
      summary: 'Suggest thresholds from the values of the last 7 days',
      description:
        'For each metric with a baseline: three and five standard deviations from its median of the last 7 days, single outliers aside. A suggestion fits every machine that has the metric. Test it with `POST /alert-rules/backtest` first.',
      query: z.object({
        language: z
          .string()
          .max(35)
          .default('en')
          .openapi({ description: 'Language of the texts: `en` or `de`. Another one falls back to `en`.', example: 'en' }),
      }),
      returns: SuggestionList,
    },
    async ({ scope, query }) => {
      const language = languageOf(query.language)
      const texts = TEXTS[language]
      const number = numberIn(language)
      const found = await suggestThresholds(store, scope)
      const suggestions = found.map((one) => ({
        metric_name: one.metric,
        unit: one.unit,
        suggested_warning: one.warning,
        suggested_critical: one.critical,
        reason: texts.reason(one, number),
        basis: {
          reading_count: one.readingCount,
          machine_count: one.machineCount,
          median: one.median,
          deviation: one.sigma,
          is_high: one.isHigh,
        },
        existing_rule_id: one.existingRuleId,
      }))
      return { suggestions, message: texts.message(suggestions.length) }
    },
  ),
]
