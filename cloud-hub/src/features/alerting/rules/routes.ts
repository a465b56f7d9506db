import { and, asc, eq, isNull, or } from 'drizzle-orm'
import { lockRulesExclusive } from '../../../db/advisory-locks.ts'
import { first, owned, type TenantDb, type TenantScope } from '../../../db/scope.ts'
import { thresholdRules } from '../../../db/tables/alerts.ts'
import { machines } from '../../../db/tables/machines.ts'
import { NotFound, Unprocessable } from '../../../support/errors.ts'
import { routeFor } from '../../../support/http/route.ts'
import { z } from '../../../support/http/z.ts'
import { recomputeMachineStatuses, resetRuleStates } from '../evaluation/index.ts'
import { MUST_DIFFER, RuleBody, RuleCreate, RuleParams, RulePut, RuleQuery } from './schemas.ts'

const route = routeFor<TenantScope>()
const tag = 'Alert rules'
type RuleRow = typeof thresholdRules.$inferSelect

const presentRule = (row: RuleRow) => ({
  id: row.id,
  tenant_id: row.tenantId,
  machine_id: row.machineId,
  metric_name: row.metricName,
  warning_threshold: row.warningThreshold,
  critical_threshold: row.criticalThreshold,
  is_active: row.isActive,
  created_by: row.createdBy,
  created_at: row.createdAt.toISOString(),
})

const oneRule = (scope: TenantScope, ruleId: string) => and(owned(thresholdRules, scope), eq(thresholdRules.id, ruleId))

async function ruleOf(db: TenantDb, scope: TenantScope, ruleId: string): Promise<RuleRow> {
  const row = await db.select().from(thresholdRules).where(oneRule(scope, ruleId)).then(first)
  if (!row) throw new NotFound('rule', ruleId)
  return row
}

const findRule = (scope: TenantScope, { rule_id }: { rule_id: string }) => scope.read((db) => ruleOf(db, scope, rule_id))

export const ruleRoutes = () => [
  route(
    {
      method: 'post',
      path: '/alert-rules',
      access: 'admin',
      tag,
      summary: 'Create a threshold rule',
      description:
        'With `critical_threshold` above `warning_threshold` the rule watches for high values (value > threshold), below for low ones (value < threshold). Without `machine_id` it applies to every machine. It evaluates readings that arrive from now on.',
      body: RuleCreate,
      returns: RuleBody,
      creates: true,
      refuses: { 404: ['machine_not_found'] },
    },
    async ({ scope, body }) =>
      scope.tx(async (db) => {
        // a flush under way does not know the rule: what it stores is judged by the next
        await lockRulesExclusive(db, scope)
        if (body.machine_id) {
          const machine = await db
            .select({ id: machines.id })
            .from(machines)
            .where(and(owned(machines, scope), eq(machines.id, body.machine_id)))
            .then(first)
          if (!machine) throw new NotFound('machine', body.machine_id)
        }
        const values = {
          tenantId: scope.tenantId,
          machineId: body.machine_id ?? null,
          metricName: body.metric_name,
          warningThreshold: body.warning_threshold,
          criticalThreshold: body.critical_threshold,
          isActive: body.is_active,
          createdBy: scope.actor.id,
          createdAt: scope.clock.now(),
          updatedAt: scope.clock.now(),
        }
        const row = await db.insert(thresholdRules).values(values).returning().then(first)
        if (!row) throw new Error('an inserted rule was not returned')
        return presentRule(row)
      }),
  ),
  route(
    {
      method: 'get',
      path: '/alert-rules',
      access: 'any',
      tag,
      summary: 'List threshold rules, oldest first',
      description:
        'All threshold rules of the tenant in one list. With `machine_id`: the rules of that machine and those for all machines; an unknown machine answers an empty list.',
      query: RuleQuery,
      returns: z.array(RuleBody),
    },
    async ({ scope, query }) =>
      scope.read(async (db) => {
        const concerning = query.machine_id
          ? or(eq(thresholdRules.machineId, query.machine_id), isNull(thresholdRules.machineId))
          : undefined
        const known = query.machine_id
          ? db
              .select({ id: machines.id })
              .from(machines)
              .where(and(owned(machines, scope), eq(machines.id, query.machine_id)))
              .then(first)
          : true
        const rows = db
          .select()
          .from(thresholdRules)
          .where(and(owned(thresholdRules, scope), concerning))
          .orderBy(asc(thresholdRules.createdAt), asc(thresholdRules.id))
        const [machine, found] = await Promise.all([known, rows])
        return machine ? found.map(presentRule) : []
      }),
  ),
  route(
    {
      method: 'put',
      path: '/alert-rules/{rule_id}',
      access: 'admin',
      tag,
      summary: 'Change thresholds or switch a rule on and off',
      description:
        'Machine and metric of a rule stay. When something changes, what the rule had raised is cleared at once, and the next reading is evaluated afresh.',
      params: RuleParams,
      body: RulePut,
      returns: RuleBody,
    },
    async ({ scope, params, body }) =>
      scope.tx(async (db) => {
        await lockRulesExclusive(db, scope)
        const before = await ruleOf(db, scope, params.rule_id)
        const warningThreshold = body.warning_threshold ?? before.warningThreshold
        const criticalThreshold = body.critical_threshold ?? before.criticalThreshold
        if (warningThreshold === criticalThreshold)
          throw new Unprocessable([{ path: 'body.critical_threshold', message: MUST_DIFFER }])
        const values = {
          warningThreshold,
          criticalThreshold,
          isActive: body.is_active ?? before.isActive,
          updatedAt: scope.clock.now(),
        }
        const unchanged = (['warningThreshold', 'criticalThreshold', 'isActive'] as const).every(
          (key) => values[key] === before[key],
        )
        if (unchanged) return presentRule(before)
        await resetRuleStates(db, scope, { ruleId: params.rule_id })
        const row = await db.update(thresholdRules).set(values).where(oneRule(scope, params.rule_id)).returning().then(first)
        if (!row) throw new NotFound('rule', params.rule_id)
        await recomputeMachineStatuses(db, scope, row)
        return presentRule(row)
      }),
    findRule,
  ),
  route(
    {
      method: 'delete',
      path: '/alert-rules/{rule_id}',
      access: 'admin',
      tag,
      summary: 'Delete a rule; its alerts stay and are cleared',
      description: 'The alerts of the rule stay and are cleared, not acknowledged. The status of its machines is computed anew.',
      params: RuleParams,
      returns: null,
    },
    async ({ scope, params }) =>
      scope.tx(async (db) => {
        await resetRuleStates(db, scope, { ruleId: params.rule_id })
        const row = await db
          .update(thresholdRules)
          .set({ isActive: false })
          .where(oneRule(scope, params.rule_id))
          .returning()
          .then(first)
        if (!row) throw new NotFound('rule', params.rule_id)
        await recomputeMachineStatuses(db, scope, row)
        await db.delete(thresholdRules).where(oneRule(scope, params.rule_id))
        return undefined
      }),
  ),
]
