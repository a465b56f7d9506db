import { lockRulesExclusive } from '../../../db/advisory-locks.ts'
import { columns } from '../../../db/columns.ts'
import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import type { thresholdRules } from '../../../db/tables/alerts.ts'
import { fieldError, NotFound, Unprocessable } from '../../../support/errors.ts'
import type { z } from '../../../support/http/z.ts'
import { claimPlace } from '../../people/limits/index.ts'
import { recomputeMachineStatuses, resetRuleStates } from '../evaluation/index.ts'
import { hasMachine, requireMachine } from './repository.ts'
import type { RuleCreate, RulePut } from './schemas.ts'

export type RuleRow = typeof thresholdRules.$inferSelect

const COLUMNS = columns.thresholdRules

async function ruleOf(sql: TransactionSql, { tenantId }: TenantScope, ruleId: string): Promise<RuleRow> {
  const [row] = await sql<RuleRow[]>`
    select ${sql.unsafe(COLUMNS)} from threshold_rules where tenant_id = ${tenantId} and id = ${ruleId}`
  if (!row) throw new NotFound('rule', ruleId)
  return row
}

/** @throws NotFound */
export const findRule = (scope: TenantScope, { rule_id }: { rule_id: string }): Promise<RuleRow> =>
  scope.read((sql) => ruleOf(sql, scope, rule_id))

/** Lists rules, oldest first. With a machine: its rules and those for all machines; none for an unknown machine. */
export const listRules = (scope: TenantScope, machineId: string | undefined): Promise<RuleRow[]> =>
  scope.read(async (sql) => {
    const [isKnown, found] = await Promise.all([
      machineId ? hasMachine(sql, scope, machineId) : true,
      sql<RuleRow[]>`
        select ${sql.unsafe(COLUMNS)} from threshold_rules
        where tenant_id = ${scope.tenantId} ${machineId ? sql`and (machine_id = ${machineId} or machine_id is null)` : sql``}
        order by created_at, id`,
    ])
    return isKnown ? [...found] : []
  })

/** @throws NotFound for an unknown machine, Conflict at the limit of the tenant */
export const createRule = (scope: TenantScope, body: z.output<typeof RuleCreate>): Promise<RuleRow> =>
  scope.tx(async (sql) => {
    // A concurrent flush does not know the rule; the next flush evaluates it.
    await lockRulesExclusive(sql, scope)
    if (body.machine_id) await requireMachine(sql, scope, body.machine_id)
    await claimPlace(sql, scope, 'rules')
    const now = scope.clock.now()
    const [row] = await sql<RuleRow[]>`
      insert into threshold_rules (tenant_id, machine_id, metric_name, warning_threshold, critical_threshold, is_active, created_by, created_at,
        updated_at)
      values (${scope.tenantId}, ${body.machine_id ?? null}, ${body.metric_name}, ${body.warning_threshold}, ${body.critical_threshold},
        ${body.is_active}, ${scope.actor.id}, ${now}, ${now})
      returning ${sql.unsafe(COLUMNS)}`
    return row as RuleRow
  })

/** Changes a rule and clears its open alerts. @throws NotFound, Unprocessable when the thresholds would be equal */
export const changeRule = (scope: TenantScope, ruleId: string, body: z.output<typeof RulePut>): Promise<RuleRow> =>
  scope.tx(async (sql) => {
    await lockRulesExclusive(sql, scope)
    const before = await ruleOf(sql, scope, ruleId)
    const warningThreshold = body.warning_threshold ?? before.warningThreshold
    const criticalThreshold = body.critical_threshold ?? before.criticalThreshold
    if (warningThreshold === criticalThreshold)
      throw new Unprocessable([fieldError('body.critical_threshold', 'equal_thresholds')])
    const values = { warningThreshold, criticalThreshold, isActive: body.is_active ?? before.isActive }
    const unchanged = (['warningThreshold', 'criticalThreshold', 'isActive'] as const).every((key) => values[key] === before[key])
    if (unchanged) return before
    await resetRuleStates(sql, scope, { ruleId })
    const [row] = await sql<RuleRow[]>`
      update threshold_rules set warning_threshold = ${warningThreshold}, critical_threshold = ${criticalThreshold},
        is_active = ${values.isActive}, updated_at = ${scope.clock.now()}
      where tenant_id = ${scope.tenantId} and id = ${ruleId} returning ${sql.unsafe(COLUMNS)}`
    if (!row) throw new NotFound('rule', ruleId)
    await recomputeMachineStatuses(sql, scope, row)
    return row
  })

/** Deletes a rule. Its alerts stay and are cleared. @throws NotFound */
export const deleteRule = (scope: TenantScope, ruleId: string): Promise<void> =>
  scope.tx(async (sql) => {
    await resetRuleStates(sql, scope, { ruleId })
    const [row] = await sql<Pick<RuleRow, 'id' | 'machineId'>[]>`
      update threshold_rules set is_active = false where tenant_id = ${scope.tenantId} and id = ${ruleId}
      returning id, machine_id as "machineId"`
    if (!row) throw new NotFound('rule', ruleId)
    await recomputeMachineStatuses(sql, scope, row)
    await sql`delete from threshold_rules where tenant_id = ${scope.tenantId} and id = ${ruleId}`
  })
