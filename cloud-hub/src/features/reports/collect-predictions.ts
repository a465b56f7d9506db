import type { TransactionSql } from '../../db/pools.ts'
import type { ReportedPredictions } from '../mails/index.ts'

const WORST_MACHINES = 10

/** The active machines whose newest analysis found a risk, worst first. It reads the table of an area above this one. */
export async function collectPredictions(tx: TransactionSql, tenantId: string): Promise<ReportedPredictions> {
  const atRisk = tx`machines m join machine_predictions p on p.tenant_id = m.tenant_id and p.machine_id = m.id
    where m.tenant_id = ${tenantId} and m.is_active and p.risk_level <> 'healthy'`
  const [counted] = await tx<{ n: number }[]>`select count(*)::int as n from ${atRisk}`
  const machines = await tx<ReportedPredictions['machines']>`
    select m.name, m.location, p.risk_level as risk, p.health_score as "healthScore", p.days_to_maintenance as "daysToMaintenance",
      p.days_to_failure as "daysToFailure"
    from ${atRisk} order by p.health_score, p.days_to_failure nulls last, m.name, m.id limit ${WORST_MACHINES}`
  return { count: counted?.n ?? 0, machines: [...machines] }
}
