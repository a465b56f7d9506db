import { and, asc, eq } from 'drizzle-orm'
import { owned, type TenantScope } from '../../../db/scope.ts'
import { baselines } from '../../../db/tables/baselines.ts'

/** The baselines of one machine, by metric and unit. */
export const listBaselines = (scope: TenantScope, machineId: string) =>
  scope.read((db) =>
    db
      .select()
      .from(baselines)
      .where(and(owned(baselines, scope), eq(baselines.machineId, machineId)))
      .orderBy(asc(baselines.metricName), asc(baselines.unit)),
  )
