import { languageOf } from '@haltless/protocol'
import type { TenantScope } from '../../../db/scope.ts'
import { versionedBy } from '../../../support/http/record-version.ts'
import { routeFor } from '../../../support/http/route.ts'
import { limitsOf, setTotal, TOTAL_HEADER } from '../../../support/http/shapes.ts'
import { lockTenant } from '../../people/settings/index.ts'
import { findMachine, MachineParams } from '../../plant/machines/index.ts'
import { findNarrative, type NarrativeDeps } from './find-narrative.ts'
import { presentPrediction } from './present.ts'
import { findPrediction, listHistory, listPredictions, narrativesEnabled } from './repository.ts'
import {
  FleetPredictions,
  FleetPredictionsQuery,
  HistoryQuery,
  LanguageQuery,
  Narrative,
  PredictionBody,
  PredictionHistory,
  PredictionSettings,
  PredictionSettingsPatch,
} from './schemas.ts'

const route = routeFor<TenantScope>()
const tag = 'Predictions'

const withVersion = versionedBy(PredictionSettingsPatch)
const settingsOf = async ({ provider }: NarrativeDeps, scope: TenantScope, change?: boolean) =>
  withVersion({ narratives_enabled: await narrativesEnabled(scope, change), is_provider_configured: provider !== null })

export const predictionRoutes = (deps: NarrativeDeps) => [
  route(
    {
      method: 'get',
      path: '/machines/predictions/fleet',
      operation: 'listFleetPredictions',
      answerHeaders: TOTAL_HEADER,
      access: 'any',
      tag,
      summary: 'Health of all active machines, worst first',
      description:
        'Every active machine, ordered by health score, then by days to failure, then by name. A machine without data is `healthy` with the score 100 and `last_analyzed_at` null.',
      query: FleetPredictionsQuery,
      returns: FleetPredictions,
    },
    async ({ scope, query, caller }) => {
      const language = languageOf(query.language)
      const { rows, total } = await listPredictions(scope, limitsOf(query), query.group_id)
      setTotal(caller, query, total)
      return { predictions: rows.map((row) => presentPrediction(row, language)), total }
    },
  ),
  route(
    {
      method: 'get',
      path: '/machines/{machine_id}/prediction',
      operation: 'getMachinePrediction',
      access: 'any',
      tag,
      summary: 'Health of a machine, and when it needs maintenance',
      description:
        'The newest analysis. A machine is analyzed within minutes of a new hour of readings, and of each alert, anomaly and downtime record. Days are given only where the trend of a metric with a threshold rule is significant. The method, and how well it predicts, is explained in `docs/predictions.md` of the hub.',
      params: MachineParams,
      query: LanguageQuery,
      returns: PredictionBody,
    },
    async ({ scope, found, query }) => presentPrediction(await findPrediction(scope, found.id), languageOf(query.language)),
    findMachine,
  ),
  route(
    {
      method: 'get',
      path: '/machines/{machine_id}/prediction/narrative',
      operation: 'getMachinePredictionNarrative',
      access: 'any',
      tag,
      summary: 'A summary of the health of a machine, in words',
      description:
        'Written by the language model that the operator of the hub configured, when an admin of the tenant has switched it on (`PATCH /settings/predictions`). It gets the facts of the analysis with slots in place of numbers, units and names, which the hub fills. A text with a number or an address outside of slots, or an unknown slot, is dropped. Then, and when it does not answer within 8 seconds, the text is that of a template. A tenant may request 10 narratives per minute.',
      params: MachineParams,
      query: LanguageQuery,
      returns: Narrative,
      refuses: { 429: ['narrative_limit'] },
    },
    async ({ scope, found, query }) => {
      const { text, source } = await findNarrative(deps, scope, found.id, languageOf(query.language))
      return { machine_id: found.id, ai_narrative: text, source }
    },
    findMachine,
  ),
  route(
    {
      method: 'get',
      path: '/machines/{machine_id}/prediction/history',
      operation: 'getMachinePredictionHistory',
      access: 'any',
      tag,
      summary: 'The health score of a machine over time',
      description: 'A point a day, and one at each change of risk, ascending. Points are kept for 400 days.',
      params: MachineParams,
      query: HistoryQuery,
      returns: PredictionHistory,
    },
    async ({ scope, found, query }) => ({
      machine_id: found.id,
      points: (await listHistory(scope, found.id, query.days)).map(({ healthScore, riskLevel, recordedAt }) => ({
        health_score: healthScore,
        risk_level: riskLevel,
        recorded_at: recordedAt.toISOString(),
      })),
    }),
    findMachine,
  ),
  route(
    {
      method: 'get',
      path: '/settings/predictions',
      operation: 'getPredictionSettings',
      access: 'any',
      tag,
      summary: 'Settings of predictions',
      description: 'Whether narratives are written by the language model that the operator of the hub configured.',
      returns: PredictionSettings,
    },
    ({ scope }) => settingsOf(deps, scope),
  ),
  route(
    {
      method: 'patch',
      path: '/settings/predictions',
      operation: 'updatePredictionSettings',
      access: 'admin',
      tag,
      summary: 'Permit or forbid narratives by a language model',
      description:
        'While `narratives_enabled` is true, a request for a narrative sends the sentences of the template and of `contributing_factors` to the language model, with slots in place of numbers, units and names. Readings are never sent.',
      body: PredictionSettingsPatch,
      changes: { lock: lockTenant, current: (scope) => settingsOf(deps, scope) },
      returns: PredictionSettings,
    },
    ({ scope, body }) => settingsOf(deps, scope, body.narratives_enabled),
  ),
]
