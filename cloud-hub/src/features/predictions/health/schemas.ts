import { RISK_LEVELS } from '../../../db/enums.ts'
import { RecordVersion } from '../../../support/http/record-version.ts'
import { Id, Instant, OptionalPaging, whole } from '../../../support/http/shapes.ts'
import { z } from '../../../support/http/z.ts'
import { ofGroup } from '../../plant/machine-groups/index.ts'

const days = z.number().nullable()

export const LanguageQuery = z.object({
  language: z
    .string()
    .max(35)
    .default('en')
    .openapi({ description: 'Language of the texts: `en` or `de`. Another one falls back to `en`.', example: 'en' }),
})

export const FleetPredictionsQuery = LanguageQuery.extend({ ...OptionalPaging, group_id: ofGroup('machines') })

export const PredictionBody = z
  .object({
    machine_id: Id.describe('The machine.'),
    machine_name: z.string().describe('Its name.'),
    health_score: z.int().describe('0 to 100; 100 when nothing was found, or without data.'),
    risk_level: z
      .enum(RISK_LEVELS)
      .describe('Follows from the score: `healthy` from 80, `watch` from 60, `warning` from 40, below that `critical`.'),
    days_to_maintenance: days.describe(
      'Days until the first trend reaches the warning threshold of its rule, and not later than the earliest failure; null: no trend does.',
    ),
    contributing_factors: z.array(z.string()).describe('What lowers the score, as sentences in `language`, the heaviest first.'),
    ai_narrative: z
      .string()
      .nullable()
      .describe('A summary in `language`: the text of the last `/narrative`, or the template; null without data.'),
    ai_narrative_source: z
      .enum(['model', 'template'])
      .nullable()
      .describe('Who wrote `ai_narrative`: `model`, a language model, or `template`, the hub; null without data.'),
    last_analyzed_at: Instant.nullable().describe('When the machine was analyzed; null: it has no data yet.'),
    estimated_days_to_failure: days.describe(
      'Days until the first trend reaches the critical threshold of its rule; null when the data carry no number.',
    ),
    failure_days_low: days.describe('The early end of the interval of `estimated_days_to_failure`.'),
    failure_days_high: days.describe('Its late end; null: open, the trend may be too flat.'),
    limiting_metric: z.string().nullable().describe('The metric that reaches its critical threshold first.'),
    degradation_rate_per_day: z
      .number()
      .describe('Points of the health score lost per day, over the last 30 days; 0 without a significant trend.'),
  })
  .openapi('HealthPrediction', {
    example: {
      machine_name: 'Press 1',
      health_score: 54,
      risk_level: 'warning',
      days_to_maintenance: 3.2,
      contributing_factors: ['Vibration reaches its critical limit of 7.1 mm/s in about 12.4 days (9.8 to 16.1).'],
      ai_narrative: 'Press 1 has a health score of 54 of 100: at risk. Plan maintenance within 3.2 days.',
      ai_narrative_source: 'template',
      estimated_days_to_failure: 12.4,
      failure_days_low: 9.8,
      failure_days_high: 16.1,
      limiting_metric: 'vibration',
      degradation_rate_per_day: 1.6,
    },
  })

export const FleetPredictions = z
  .object({
    predictions: z.array(PredictionBody).describe('The active machines, worst first.'),
    total: z.int().describe('The number of these machines.'),
  })
  .openapi('FleetPredictions', { example: { total: 1 } })

export const Narrative = z
  .object({
    machine_id: Id.describe('The machine.'),
    ai_narrative: z.string().nullable().describe('The summary in `language`; null without data.'),
    source: z
      .enum(['model', 'template'])
      .describe('`model`: written by the language model that the operator configured; `template`: by the hub.'),
  })
  .openapi('Narrative', {
    example: { ai_narrative: 'Press 1 has a health score of 54 of 100: at risk.', source: 'template' },
  })

export const HistoryQuery = z.object({
  days: whole(365).default(30).openapi({ default: 30, description: 'How many days back, 1 to 365.', example: 30 }),
})
export const PredictionHistory = z
  .object({
    machine_id: Id.describe('The machine.'),
    points: z
      .array(
        z.object({
          health_score: z.int().describe('0 to 100.'),
          risk_level: z.enum(RISK_LEVELS).describe('The level of that score.'),
          recorded_at: Instant.describe('When it was computed.'),
        }),
      )
      .describe('Ascending: a point a day, and one at each change of risk.'),
  })
  .openapi('PredictionHistory', {
    example: { points: [{ health_score: 54, risk_level: 'warning', recorded_at: '2026-01-31T12:00:00.000Z' }] },
  })

export const PredictionSettings = z
  .object({
    narratives_enabled: z
      .boolean()
      .describe('Whether `/narrative` sends the facts of a machine to the language model that the operator configured.'),
    is_provider_configured: z.boolean().describe('Whether the operator has configured one; without it templates are used.'),
    version: RecordVersion,
  })
  .openapi('PredictionSettings', { example: { narratives_enabled: false, is_provider_configured: false } })
export const PredictionSettingsPatch = z
  .object({ narratives_enabled: z.boolean().optional().describe('Off until an admin switches it on.') })
  .openapi('PredictionSettingsPatch', { example: { narratives_enabled: true } })
