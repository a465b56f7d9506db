import type { TenantScope } from '../../../db/scope.ts'
import { selectList } from '../../../db/select-list.ts'
import { baselines } from '../../../db/tables/baselines.ts'

type BaselineRow = typeof baselines.$inferSelect

const COLUMNS = selectList(baselines)

/** The baselines of one machine, by metric and unit. */
export const listBaselines = (scope: TenantScope, machineId: string): Promise<BaselineRow[]> =>
  scope.read(
    (sql) => sql<BaselineRow[]>`
      select ${sql.unsafe(COLUMNS)} from baselines
      where tenant_id = ${scope.tenantId} and machine_id = ${machineId} order by metric_name, unit`,
  )
