import { and, asc, eq } from 'drizzle-orm'
import { owned, type TenantScope } from '../../db/scope.ts'
import { baselines } from '../../db/tables/baselines.ts'
import { routeFor } from '../../support/http/route.ts'
import { Id, Instant } from '../../support/http/shapes.ts'
import { z } from '../../support/http/z.ts'
import { findMachine, MachineParams } from '../machines/index.ts'

const BaselineBody = z
  .object({
    id: Id,
    machine_id: Id,
    metric_name: z.string(),
    unit: z.string(),
    mean_value: z.number(),
    std_dev: z.number(),
    min_value: z.number(),
    max_value: z.number(),
    sample_count: z.int(),
    window_start: Instant,
    window_end: Instant,
  })
  .openapi('Baseline')

export const baselineRoutes = () => [
  routeFor<TenantScope>()(
    {
      method: 'get',
      path: '/machines/{machine_id}/baselines',
      access: 'any',
      tag: 'Sensor data',
      summary: 'What is normal for each metric of a machine',
      description:
        'Over the trailing 7 days, of metrics with at least 30 readings there, recomputed every hour. `std_dev` is that of a sample (n - 1).',
      params: MachineParams,
      returns: z.array(BaselineBody),
    },
    async ({ scope, params }) => {
      const rows = await scope.read((db) =>
        db
          .select()
          .from(baselines)
          .where(and(owned(baselines, scope), eq(baselines.machineId, params.machine_id)))
          .orderBy(asc(baselines.metricName), asc(baselines.unit)),
      )
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
