import type { TenantScope } from '../../../db/scope.ts'
import type { ReadingStore } from '../../../readings/index.ts'
import { routeFor } from '../../../support/http/route.ts'
import { findMachine, MachineParams } from '../../plant/machines/index.ts'
import { countEvents, driftOf, listEvents } from './repository.ts'
import { AnomalyPage, AnomalyQuery, AnomalySummary } from './schemas.ts'

const route = routeFor<TenantScope>()
const tag = 'Predictions'

export const anomalyRoutes = (store: Pick<ReadingStore, 'totals'>) => [
  route(
    {
      method: 'get',
      path: '/machines/{machine_id}/anomalies/summary',
      operation: 'getAnomalySummary',
      access: 'any',
      tag,
      summary: 'Anomalies of a machine, and how far its values drift from the baselines',
      description:
        'An anomaly event is a run of readings of a metric beyond 3 standard deviations of its baseline. Events of the last 30 days by metric, and the mean of the last 24 hours against each baseline.',
      params: MachineParams,
      returns: AnomalySummary,
    },
    async ({ scope, params: { machine_id } }) => {
      const [events, drift] = await Promise.all([countEvents(scope, machine_id), driftOf(scope, store, machine_id)])
      return {
        machine_id,
        total_anomaly_events: events.reduce((sum, { count }) => sum + count, 0),
        metrics: events.map(({ metric, unit, count, latestSigma, latestAt }) => ({
          metric_name: metric,
          unit,
          total_events: count,
          latest_sigma: latestSigma,
          latest_at: latestAt.toISOString(),
        })),
        baseline_drift: drift.map(({ metric, unit, baselineMean, currentMean, sigma }) => ({
          metric_name: metric,
          unit,
          baseline_mean: baselineMean,
          current_mean: currentMean,
          drift_sigma: sigma,
        })),
      }
    },
    findMachine,
  ),
  route(
    {
      method: 'get',
      path: '/machines/{machine_id}/anomalies',
      operation: 'listAnomalies',
      access: 'any',
      tag,
      summary: 'Anomaly events of a machine, newest first',
      description: 'Events are kept for a year after they ended. `start` and `end` filter by the begin of the event.',
      params: MachineParams,
      query: AnomalyQuery,
      returns: AnomalyPage,
    },
    async ({ scope, found, query }) => {
      const { page, page_size: pageSize, metric_name: metric, is_open: isOpen, start, end } = query
      const { rows, total } = await listEvents(scope, found.id, { page, pageSize, metric, isOpen, start, end })
      const items = rows.map((row) => ({
        id: row.id,
        machine_id: row.machineId,
        metric_name: row.metric,
        unit: row.unit,
        value: row.value,
        sigma: row.sigma,
        baseline_mean: row.baselineMean,
        baseline_std_dev: row.baselineStdDev,
        started_at: row.startedAt.toISOString(),
        ended_at: row.endedAt?.toISOString() ?? null,
      }))
      return { items, pagination: { total, page, page_size: pageSize } }
    },
    findMachine,
  ),
]
