import type { Telemetry } from '@haltless/protocol'
import { columns } from '../../../db/columns.ts'
import type { Sql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import type { dataGaps } from '../../../db/tables/agents.ts'

/** Clamps timestamps of an agent with a wrong clock to years that PostgreSQL and JavaScript both support. */
const storable = (instant: string) =>
  new Date(Math.min(Math.max(Date.parse(instant), Date.UTC(1000, 0, 1)), Date.UTC(10_000, 0, 1) - 1))

/** Stores the dropped readings and missed polls that an agent reports; a repeated gap, whose response was lost, is stored once. */
export async function storeGaps(
  allTenants: Sql,
  tenantId: string,
  agentId: string,
  { gaps = [], missed = [] }: Pick<Telemetry, 'gaps' | 'missed'>,
  now: Date,
): Promise<void> {
  const all = [...gaps.map((gap) => ({ ...gap, collector: null })), ...missed]
  if (all.length === 0) return
  const rows = all.map((gap) => {
    // After a clock change, the agent may report the later end first.
    const [from, to] = [storable(gap.from), storable(gap.to)].sort((a, b) => a.getTime() - b.getTime())
    return {
      id: gap.gap_id,
      tenant_id: tenantId,
      agent_id: agentId,
      machine_identifier: gap.machine_identifier,
      collector: gap.collector,
      metric_name: gap.metric_name,
      unit: gap.unit,
      from_at: from as Date,
      to_at: to as Date,
      count: gap.count,
      reason: gap.reason,
      created_at: now,
    }
  })
  await allTenants`insert into data_gaps ${allTenants(rows)} on conflict do nothing`
}

type GapRow = typeof dataGaps.$inferSelect

const COLUMNS = columns.dataGaps

/** The data gaps of a machine, latest first. */
export const listGaps = (
  { read, tenantId }: TenantScope,
  machineIdentifier: string,
  page: number,
  pageSize: number,
): Promise<{ items: GapRow[]; total: number }> =>
  read(async (sql) => {
    const [items, totals] = await Promise.all([
      sql<GapRow[]>`
        select ${sql.unsafe(COLUMNS)} from data_gaps where tenant_id = ${tenantId} and machine_identifier = ${machineIdentifier}
        order by from_at desc, id desc limit ${pageSize} offset ${(page - 1) * pageSize}`,
      sql<{ total: number }[]>`
        select count(*)::int as total from data_gaps where tenant_id = ${tenantId} and machine_identifier = ${machineIdentifier}`,
    ])
    return { items: [...items], total: totals[0]?.total ?? 0 }
  })
