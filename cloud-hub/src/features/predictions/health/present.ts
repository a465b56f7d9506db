import type { Language } from '@haltless/protocol'
import { describeFactors, type NarrativeFacts, narrate, noData } from './narratives/index.ts'
import { isKnown, type PredictionRow } from './repository.ts'

const rounded = (value: number | null) => (value === null ? null : Math.round(value * 10) / 10)

export function presentPrediction(row: PredictionRow, language: Language) {
  const of = { machine_id: row.machineId, machine_name: row.machineName }
  if (!isKnown(row))
    return {
      ...of,
      health_score: 100,
      risk_level: 'healthy' as const,
      days_to_maintenance: null,
      contributing_factors: [noData(language)],
      ai_narrative: null,
      ai_narrative_source: null,
      last_analyzed_at: null,
      estimated_days_to_failure: null,
      failure_days_low: null,
      failure_days_high: null,
      limiting_metric: null,
      degradation_rate_per_day: 0,
    }
  return {
    ...of,
    health_score: row.healthScore,
    risk_level: row.riskLevel,
    days_to_maintenance: rounded(row.daysToMaintenance),
    contributing_factors: describeFactors(row.factors, language),
    ai_narrative: row.narratives[language] ?? narrate(row satisfies NarrativeFacts, language),
    ai_narrative_source: row.narratives[language] === undefined ? ('template' as const) : ('model' as const),
    last_analyzed_at: row.analyzedAt.toISOString(),
    estimated_days_to_failure: rounded(row.daysToFailure),
    failure_days_low: rounded(row.failureLow),
    failure_days_high: rounded(row.failureHigh),
    limiting_metric: row.limitingMetric,
    degradation_rate_per_day: Math.round(row.degradationRate * 100) / 100,
  }
}
