import type { TenantScope } from '../../../db/scope.ts'
import { routeFor } from '../../../support/http/route.ts'
import { Id } from '../../../support/http/shapes.ts'
import { z } from '../../../support/http/z.ts'
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
    suggestions: z.array(
      z.object({
        metric_name: z.string(),
        unit: z.string(),
        suggested_warning: z.number(),
        suggested_critical: z.number(),
        reason: z.string(),
        existing_rule_id: Id.nullable().openapi({
          description: 'a rule for the metric that is there; one for all machines first',
        }),
      }),
    ),
    message: z.string(),
  })
  .openapi('RuleSuggestions')

export const suggestionRoutes = () => [
  routeFor<TenantScope>()(
    {
      method: 'get',
      path: '/alert-rules/suggestions',
      access: 'any',
      tag: 'Alert rules',
      summary: 'Thresholds from what was normal in the last 7 days',
      description:
        'Three and five standard deviations from the median of each metric with a baseline, outliers aside; right for every machine that has it.',
      query: z.object({
        language: z.string().max(35).default('en').openapi({ description: '`en` or `de`; another falls back to `en`' }),
      }),
      returns: SuggestionList,
    },
    async ({ scope, query }) => {
      const [language, texts] = /^de\b/i.test(query.language) ? (['de', de] as const) : (['en', en] as const)
      const number = (value: number) => {
        const isReadable = value === 0 || (Math.abs(value) < 1e15 && Math.abs(value) >= 1e-6)
        return value.toLocaleString(language, isReadable ? { maximumFractionDigits: 12 } : { notation: 'scientific' })
      }
      const found = await suggestThresholds(scope)
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
