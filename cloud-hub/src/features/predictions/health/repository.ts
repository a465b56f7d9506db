import type { RiskLevel } from '../../../db/enums.ts'
import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import type { PageLimits } from '../../../support/http/shapes.ts'
import { inGroup } from '../../plant/machine-groups/index.ts'
import type { Factor } from './method/index.ts'

/** A machine with its prediction; without data all but the machine is null. */
export interface PredictionRow {
  machineId: string
  machineName: string
  healthScore: number | null
  riskLevel: RiskLevel | null
  daysToMaintenance: number | null
  daysToFailure: number | null
  failureLow: number | null
  failureHigh: number | null
  limitingMetric: string | null
  degradationRate: number | null
  factors: Factor[] | null
  narratives: Record<string, string> | null
  analyzedAt: Date | null
}

/** A prediction that was computed. */
export type KnownPrediction = {
  [K in keyof PredictionRow]: K extends Nullable ? PredictionRow[K] : NonNullable<PredictionRow[K]>
}
type Nullable = 'daysToMaintenance' | 'daysToFailure' | 'failureLow' | 'failureHigh' | 'limitingMetric'

export const isKnown = (row: PredictionRow): row is KnownPrediction => row.analyzedAt !== null

/** Stands beside the texts by language: the name in their slots. Texts from before slots have it as `machine_name`, and no longer count. */
const NAME = 'name_in_slots'

/** Texts count while the tenant permits them, and the machine still has the name that they use. */
const selectPredictions = (sql: TransactionSql, scope: TenantScope) => sql`
  select m.id as "machineId", m.name as "machineName", p.health_score as "healthScore", p.risk_level as "riskLevel",
    p.days_to_maintenance as "daysToMaintenance", p.days_to_failure as "daysToFailure", p.failure_low as "failureLow",
    p.failure_high as "failureHigh", p.limiting_metric as "limitingMetric", p.degradation_rate as "degradationRate", p.factors,
    case when p.narratives ->> ${NAME} = m.name and (select narratives_enabled from tenants where id = ${scope.tenantId})
      then p.narratives else '{}' end as narratives, p.analyzed_at as "analyzedAt"
  from machines m left join machine_predictions p on p.tenant_id = m.tenant_id and p.machine_id = m.id
  where m.tenant_id = ${scope.tenantId}`

/**
 * The active machines of a group, or of all, worst first: by score, then by days to failure, then by name. Machines without data have the score 100.
 * Beside the rows of the page stands how many machines there are on all pages.
 */
export async function listPredictions(scope: TenantScope, { limit, offset }: PageLimits, groupId: string | undefined) {
  const [rows, [counted]] = await scope.read((sql) => {
    const wanted = sql`and m.is_active ${inGroup(sql, scope.tenantId, groupId, 'm.id')}`
    return Promise.all([
      sql<PredictionRow[]>`
        ${selectPredictions(sql, scope)} ${wanted}
        order by coalesce(p.health_score, 100), p.days_to_failure nulls last, p.analyzed_at is null, m.name collate natural_order, m.id
        limit ${limit} offset ${offset}`,
      limit === null
        ? []
        : sql<{ n: number }[]>`select count(*)::int as n from machines m where m.tenant_id = ${scope.tenantId} ${wanted}`,
    ])
  })
  return { rows, total: counted?.n ?? rows.length }
}

export async function findPrediction(scope: TenantScope, machineId: string): Promise<PredictionRow> {
  const [row] = await scope.read((sql) => sql<PredictionRow[]>`${selectPredictions(sql, scope)} and m.id = ${machineId}`)
  if (!row) throw new Error(`machine ${machineId} was deleted meanwhile`)
  return row
}

/** Stores a generated text, unless the machine has been analyzed again meanwhile. */
export const saveNarrative = (
  scope: TenantScope,
  { machineId, machineName, analyzedAt }: KnownPrediction,
  language: string,
  text: string,
) =>
  scope.tx(
    (sql) => sql`
      update machine_predictions set narratives = case when narratives ->> ${NAME} = ${machineName} then narratives else '{}' end
        || jsonb_build_object(${NAME}::text, ${machineName}::text, ${language}::text, ${text}::text)
      where tenant_id = ${scope.tenantId} and machine_id = ${machineId} and analyzed_at = ${analyzedAt}`,
  )

export const listHistory = (scope: TenantScope, machineId: string, days: number) =>
  scope.read(
    (sql) => sql<{ healthScore: number; riskLevel: RiskLevel; recordedAt: Date }[]>`
      select health_score as "healthScore", risk_level as "riskLevel", recorded_at as "recordedAt" from prediction_history
      where tenant_id = ${scope.tenantId} and machine_id = ${machineId}
        and recorded_at >= ${new Date(scope.clock.now().getTime() - days * 86_400_000)}
      order by recorded_at`,
  )

/** Whether facts of the tenant's machines may go to the language model; changes it when a value is given. */
export const narrativesEnabled = (scope: TenantScope, change?: boolean): Promise<boolean> =>
  scope.tx(async (sql) => {
    if (change !== undefined) await sql`update tenants set narratives_enabled = ${change} where id = ${scope.tenantId}`
    const [row] = await sql<
      { isEnabled: boolean }[]
    >`select narratives_enabled as "isEnabled" from tenants where id = ${scope.tenantId}`
    return row?.isEnabled ?? false
  })
