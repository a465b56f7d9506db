import { lockRulesExclusive } from '../../../db/advisory-locks.ts'
import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'

/**
 * Resets the states of a rule, or of all rules on a machine. Sets `cleared_at` of their open alerts without acknowledging them.
 * The next reading is evaluated from the initial state.
 */
export async function resetRuleStates(
  sql: TransactionSql,
  scope: TenantScope,
  of: { ruleId: string } | { machineId: string },
): Promise<void> {
  const { tenantId } = scope
  await lockRulesExclusive(sql, scope)
  const isConcerned = 'ruleId' in of ? sql`rule_id = ${of.ruleId}` : sql`machine_id = ${of.machineId}`
  await sql`
    update threshold_conditions set standing = 'normal', current = 'normal', normal_count = 0, evaluated_at = null
    where tenant_id = ${tenantId} and ${isConcerned}`
  await sql`
    update composite_conditions set standing = false, normal_count = 0, evaluated_at = null, pending_at = null, inputs = '[]', due_at = null,
      holds_until = null, version = version + 1
    where tenant_id = ${tenantId} and ${isConcerned}`
  // locked by id, as each statement locks several alerts
  await sql`
    update alerts set cleared_at = ${scope.clock.now()}
    where tenant_id = ${tenantId} and id = any(array(
      select id from alerts where tenant_id = ${tenantId} and ${isConcerned} and cleared_at is null order by id for no key update))`
}
