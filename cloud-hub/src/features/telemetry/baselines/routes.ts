import type { TenantScope } from '../../../db/scope.ts'
import { routeFor } from '../../../support/http/route.ts'
import { Id, Instant } from '../../../support/http/shapes.ts'
import { z } from '../../../support/http/z.ts'
import { findMachine, MachineParams } from '../../plant/machines/index.ts'
import { listBaselines } from './repository.ts'

const BaselineBody = z
  .object({
    id: Id.describe('Identifies the baseline; it stays when the baseline is recomputed.'),
    machine_id: Id.describe('The machine that the readings belong to.'),
    metric_name: z.string().describe('What was measured, as `metric_name` of the readings.'),
    unit: z.string().describe('The unit of the values.'),
    mean_value: z.number().describe('The mean of the readings in the window.'),
    std_dev: z.number().describe('Their standard deviation, as of a sample (n - 1).'),
    min_value: z.number().describe('The smallest value in the window.'),
    max_value: z.number().describe('The largest value in the window.'),
    sample_count: z.int().describe('Readings in the window, at least 30.'),
    window_start: Instant.describe('The begin of the window.'),
    window_end: Instant.describe('The end of the window, 7 days later: when the baseline was computed.'),
  })
  .openapi('Baseline', {
    example: {
      metric_name: 'oil_temperature',
      unit: 'celsius',
      mean_value: 61.3,
      std_dev: 1.2,
      min_value: 57.8,
      max_value: 65.4,
      sample_count: 10_080,
      window_start: '2026-01-24T12:00:00.000Z',
      window_end: '2026-01-31T12:00:00.000Z',
    },
  })

export const baselineRoutes = () => [
  routeFor<TenantScope>()(
    {
      method: 'get',
      path: '/machines/{machine_id}/baselines',
      operation: 'listBaselines',
      access: 'any',
      tag: 'Sensor data',
      summary: 'Baselines of a machine: the usual values of each metric',
      description:
        'Mean and spread of each metric and unit over the trailing 7 days, where it has at least 30 readings. The hub recomputes baselines every hour, and uses them for anomalies and rule suggestions.',
      params: MachineParams,
      returns: z.array(BaselineBody),
    },
    async ({ scope, params }) => {
      const rows = await listBaselines(scope, params.machine_id)
      return rows.map((row) => ({
        id: row.id,
        machine_id: row.machineId,
        metric_name: row.metricName,
        unit: row.unit,
        mean_value: row.meanValue,
        std_dev: row.stdDev,
        min_value: row.minValue,
        max_value: row.maxValue,
        sample_count: row.sampleCount,
        window_start: row.windowStart.toISOString(),
        window_end: row.windowEnd.toISOString(),
      }))
    },
    findMachine,
  ),
]
