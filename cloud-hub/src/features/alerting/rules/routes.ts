import { lockRulesExclusive } from '../../../db/advisory-locks.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { versionedBy } from '../../../support/http/record-version.ts'
import { routeFor } from '../../../support/http/route.ts'
import { z } from '../../../support/http/z.ts'
import { changeRule, createRule, deleteRule, findRule, listRules, type RuleRow } from './manage-rule.ts'
import { RuleBody, RuleCreate, RuleParams, RulePut, RuleQuery } from './schemas.ts'

const route = routeFor<TenantScope>()
const tag = 'Alert rules'

const withVersion = versionedBy(RulePut)
const presentRule = (row: RuleRow) =>
  withVersion({
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

export const ruleRoutes = () => [
  route(
    {
      method: 'post',
      path: '/alert-rules',
      operation: 'createAlertRule',
      access: 'admin',
      tag,
      summary: 'Create a threshold rule',
      description:
        'With `critical_threshold` above `warning_threshold` the rule watches for high values (value > threshold), below for low ones (value < threshold). Without `machine_id` it applies to every machine. It evaluates readings that arrive from now on.',
      body: RuleCreate,
      returns: RuleBody,
      creates: true,
      refuses: { 404: ['machine_not_found'], 409: ['tenant_limit'] },
    },
    async ({ scope, body }) => presentRule(await createRule(scope, body)),
  ),
  route(
    {
      method: 'get',
      path: '/alert-rules',
      operation: 'listAlertRules',
      access: 'any',
      tag,
      summary: 'List threshold rules, oldest first',
      description:
        'All threshold rules of the tenant in one list. With `machine_id`: the rules of that machine and those for all machines; an unknown machine answers an empty list.',
      query: RuleQuery,
      returns: z.array(RuleBody),
    },
    async ({ scope, query }) => (await listRules(scope, query.machine_id)).map(presentRule),
  ),
  route(
    {
      method: 'put',
      path: '/alert-rules/{rule_id}',
      operation: 'updateAlertRule',
      access: 'admin',
      tag,
      summary: 'Change thresholds or switch a rule on and off',
      description:
        'Machine and metric of a rule stay. When something changes, what the rule had raised is cleared at once, and the next reading is evaluated afresh.',
      params: RuleParams,
      body: RulePut,
      changes: { lock: lockRulesExclusive, current: async (scope, params) => presentRule(await findRule(scope, params)) },
      returns: RuleBody,
    },
    async ({ scope, params, body }) => presentRule(await changeRule(scope, params.rule_id, body)),
    findRule,
  ),
  route(
    {
      method: 'delete',
      path: '/alert-rules/{rule_id}',
      operation: 'deleteAlertRule',
      access: 'admin',
      tag,
      summary: 'Delete a rule; its alerts stay and are cleared',
      description: 'The alerts of the rule stay and are cleared, not acknowledged. The status of its machines is computed anew.',
      params: RuleParams,
      returns: null,
    },
    async ({ scope, params }) => {
      await deleteRule(scope, params.rule_id)
      return undefined
    },
    findRule,
  ),
]
