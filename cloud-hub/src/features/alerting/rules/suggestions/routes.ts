import type { TenantScope } from '../../../../db/scope.ts'
import { routeFor } from '../../../../support/http/route.ts'
import { Id } from '../../../../support/http/shapes.ts'
import { z } from '../../../../support/http/z.ts'
import type { ReadingStore } from '../../../telemetry/readings/index.ts'
import { type Suggestion, suggestThresholds } from './suggest.ts'

interface Texts {
  reason(suggestion: Suggestion, number: (value: number) => string): string
  message(count: number): string
}

const en: Texts = {
  reason: (s, number) =>
    `In the last 7 days ${number(s.readingCount)} readings of ${s.machineCount === 1 ? 'one machine' : `${number(s.machineCount)} machines`} were usually ${number(s.median)} ${s.unit}, give or take ${number(s.sigma)}. Warning is 3 standard deviations ${s.isHigh ? 'above' : 'below'} that, critical 5; single outliers do not count.`,
  message: (count) =>
    count === 0
      ? 'There is nothing to suggest yet: a metric needs at least 30 readings that differ in the last 7 days.'
      : `${count === 1 ? 'A suggestion' : `${count} suggestions`} from what was normal in the last 7 days.`,
}
const de: Texts = {
  reason: (s, number) =>
    `In den letzten 7 Tagen lagen ${number(s.readingCount)} Messwerte von ${s.machineCount === 1 ? 'einer Maschine' : `${number(s.machineCount)} Maschinen`} meist bei ${number(s.median)} ${s.unit}, mit einer Streuung von ${number(s.sigma)}. Warnung ist 3 Standardabweichungen ${s.isHigh ? 'darüber' : 'darunter'}, kritisch 5; einzelne Ausreißer zählen nicht.`,
  message: (count) =>
    count === 0
      ? 'Noch lässt sich nichts vorschlagen: Eine Messgröße braucht mindestens 30 verschiedene Messwerte in den letzten 7 Tagen.'
      : `${count === 1 ? 'Ein Vorschlag' : `${count} Vorschläge`} aus dem, was in den letzten 7 Tagen normal war.`,
}

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
      const [language, texts] = /^de\b/i.test(query.language) ? (['de', de] as const) : (['en', en] as const)
      const number = (value: number) => {
        const isReadable = value === 0 || (Math.abs(value) < 1e15 && Math.abs(value) >= 1e-6)
        return value.toLocaleString(language, isReadable ? { maximumFractionDigits: 12 } : { notation: 'scientific' })
      }
      const found = await suggestThresholds(store, scope)
      const suggestions = found.map((one) => ({
        metric_name: one.metric,
        unit: one.unit,
        suggested_warning: one.warning,
        suggested_critical: one.critical,
        reason: texts.reason(one, number),
        existing_rule_id: one.existingRuleId,
      }))
      return { suggestions, message: texts.message(suggestions.length) }
    },
  ),
]
