import { columns } from '../../../db/columns.ts'
import type { TenantScope } from '../../../db/scope.ts'
import type { baselines } from '../../../db/tables/baselines.ts'

type BaselineRow = typeof baselines.$inferSelect

const COLUMNS = columns.baselines

/** The baselines of one machine, by metric and unit. */
export const listBaselines = (scope: TenantScope, machineId: string): Promise<BaselineRow[]> =>
  scope.read(
    (sql) => sql<BaselineRow[]>`
      select ${sql.unsafe(COLUMNS)} from baselines
      where tenant_id = ${scope.tenantId} and machine_id = ${machineId} order by metric_name, unit`,
  )
