import { lockRulesExclusive } from '../../../db/advisory-locks.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { versionedBy } from '../../../support/http/record-version.ts'
import { routeFor } from '../../../support/http/route.ts'
import { z } from '../../../support/http/z.ts'
import { changePolicy, createPolicy, deletePolicy, findPolicy, listPolicies, type PolicyRow } from './manage-policy.ts'
import { PolicyBody, PolicyCreate, PolicyParams, PolicyPut } from './schemas.ts'

const route = routeFor<TenantScope>()
const tag = 'Alert rules'

const withVersion = versionedBy(PolicyPut)
const presentPolicy = (row: PolicyRow) =>
  withVersion({
    id: row.id,
    tenant_id: row.tenantId,
    name: row.name,
    severity: row.severity,
    wait_minutes: row.waitMinutes,
    channel_id: row.channelId,
    channel_is_active: row.channelIsActive,
    is_active: row.isActive,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  })

export const escalationRoutes = () => [
  route(
    {
      method: 'get',
      path: '/escalation-policies',
      operation: 'listEscalationPolicies',
      access: 'any',
      tag,
      summary: 'List escalation policies, oldest first',
      description: 'All policies of the tenant in one list.',
      returns: z.array(PolicyBody),
    },
    async ({ scope }) => (await listPolicies(scope)).map(presentPolicy),
  ),
  route(
    {
      method: 'post',
      path: '/escalation-policies',
      operation: 'createEscalationPolicy',
      access: 'admin',
      tag,
      summary: 'Create an escalation policy',
      description:
        'An alert of the severity goes to the channel when it is neither acknowledged nor cleared `wait_minutes` after it was raised, once per policy. A snoozed alert goes when its snooze has ended. Alerts whose readings arrived late do not escalate.',
      body: PolicyCreate,
      returns: PolicyBody,
      creates: true,
      refuses: { 404: ['channel_not_found'] },
    },
    async ({ scope, body }) => presentPolicy(await createPolicy(scope, body)),
  ),
  route(
    {
      method: 'put',
      path: '/escalation-policies/{policy_id}',
      operation: 'updateEscalationPolicy',
      access: 'admin',
      tag,
      summary: 'Change an escalation policy',
      description: 'Changes the given fields. An alert that the policy has sent already is not sent again.',
      params: PolicyParams,
      body: PolicyPut,
      changes: { lock: lockRulesExclusive, current: async (scope, params) => presentPolicy(await findPolicy(scope, params)) },
      returns: PolicyBody,
      refuses: { 404: ['channel_not_found'] },
    },
    async ({ scope, params, body }) => presentPolicy(await changePolicy(scope, params.policy_id, body)),
    findPolicy,
  ),
  route(
    {
      method: 'delete',
      path: '/escalation-policies/{policy_id}',
      operation: 'deleteEscalationPolicy',
      access: 'admin',
      tag,
      summary: 'Delete an escalation policy',
      description: 'Alerts no longer escalate by it. Messages that were sent are not withdrawn.',
      params: PolicyParams,
      returns: null,
    },
    async ({ scope, params }) => {
      await deletePolicy(scope, params.policy_id)
      return undefined
    },
  ),
]
