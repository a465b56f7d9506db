import { lockRulesExclusive } from '../../../../db/advisory-locks.ts'
import type { TenantScope } from '../../../../db/scope.ts'
import { versionedBy } from '../../../../support/http/record-version.ts'
import { routeFor } from '../../../../support/http/route.ts'
import { z } from '../../../../support/http/z.ts'
import { RuleParams, RuleQuery } from '../schemas.ts'
import {
  type CompositeRow,
  changeComposite,
  createComposite,
  deleteComposite,
  findComposite,
  listComposites,
} from './manage-composite.ts'
import { CompositeBody, CompositeCreate, CompositePut } from './schemas.ts'

const route = routeFor<TenantScope>()
const tag = 'Alert rules'

const withVersion = versionedBy(CompositePut)
const presentComposite = (row: CompositeRow) =>
  withVersion({
    id: row.id,
    machine_id: row.machineId,
    name: row.name,
    description: row.description,
    expression: row.expression,
    severity: row.severity,
    is_active: row.isActive,
    created_at: row.createdAt.toISOString(),
  })

export const compositeRoutes = () => [
  route(
    {
      method: 'post',
      path: '/composite-rules',
      operation: 'createCompositeRule',
      access: 'admin',
      tag,
      summary: 'Create a composite rule',
      description:
        'One to ten conditions on metrics of one machine, all (`AND`) or any (`OR`) of which must be true. A value older than the offline limit of the hub (10 minutes unless set otherwise) is unknown, and unknown is not true. An alert carries metric, value and threshold of the first true condition. The alert clears when the expression is false at two consecutive evaluations.',
      body: CompositeCreate,
      returns: CompositeBody,
      creates: true,
      refuses: { 404: ['machine_not_found'], 409: ['tenant_limit'] },
    },
    async ({ scope, body }) => presentComposite(await createComposite(scope, body)),
  ),
  route(
    {
      method: 'get',
      path: '/composite-rules',
      operation: 'listCompositeRules',
      access: 'any',
      tag,
      summary: 'List composite rules, oldest first',
      description:
        'All composite rules of the tenant in one list, or those of one machine. An unknown machine answers an empty list.',
      query: RuleQuery,
      returns: z.array(CompositeBody),
    },
    async ({ scope, query }) => (await listComposites(scope, query.machine_id)).map(presentComposite),
  ),
  route(
    {
      method: 'put',
      path: '/composite-rules/{rule_id}',
      operation: 'updateCompositeRule',
      access: 'admin',
      tag,
      summary: 'Change a composite rule',
      description:
        'Changes the given fields. When something changes, what the rule had raised is cleared at once, and the next reading is evaluated afresh.',
      params: RuleParams,
      body: CompositePut,
      changes: {
        lock: lockRulesExclusive,
        current: async (scope, params) => presentComposite(await findComposite(scope, params)),
      },
      returns: CompositeBody,
      refuses: { 404: ['machine_not_found'] },
    },
    async ({ scope, params, body }) => presentComposite(await changeComposite(scope, params.rule_id, body)),
    findComposite,
  ),
  route(
    {
      method: 'delete',
      path: '/composite-rules/{rule_id}',
      operation: 'deleteCompositeRule',
      access: 'admin',
      tag,
      summary: 'Delete a composite rule; its alerts stay and are cleared',
      description: 'The alerts of the rule stay and are cleared, not acknowledged. The status of the machine is computed anew.',
      params: RuleParams,
      returns: null,
    },
    async ({ scope, params }) => {
      await deleteComposite(scope, params.rule_id)
      return undefined
    },
    findComposite,
  ),
]
