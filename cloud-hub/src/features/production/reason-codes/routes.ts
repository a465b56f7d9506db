import type { TenantScope } from '../../../db/scope.ts'
import { routeFor } from '../../../support/http/route.ts'
import { z } from '../../../support/http/z.ts'
import { changeReasonCode, createReasonCode, findReasonCode, listReasonCodes, lockTree } from './manage-reason-code.ts'
import { presentReasonCode, reasonCodeTree } from './present.ts'
import { ReasonCodeBody, ReasonCodeCreate, ReasonCodeParams, ReasonCodePut, ReasonCodeQuery, ReasonCodeTree } from './schemas.ts'

const route = routeFor<TenantScope>()
const tag = 'Downtime and reason codes'

export const reasonCodeRoutes = () => [
  route(
    {
      method: 'get',
      path: '/reason-codes',
      operation: 'listReasonCodes',
      access: 'any',
      tag,
      summary: 'Reason codes as a flat list',
      description:
        'All codes by `sort_order`, then by label. A new tenant has a set of codes to start from, which admins change as they like.',
      query: ReasonCodeQuery,
      returns: z.array(ReasonCodeBody),
    },
    async ({ scope, query }) => (await listReasonCodes(scope, query.active_only)).map(presentReasonCode),
  ),
  route(
    {
      method: 'get',
      path: '/reason-codes/tree',
      operation: 'getReasonCodeTree',
      access: 'any',
      tag,
      summary: 'Reason codes as a tree',
      description:
        'The same codes, nested: each has those directly below it in `children`. An active code below an inactive one is a root where `active_only` leaves that out.',
      query: ReasonCodeQuery,
      returns: z.array(ReasonCodeTree),
    },
    async ({ scope, query }) => reasonCodeTree(await listReasonCodes(scope, query.active_only)),
  ),
  route(
    {
      method: 'post',
      path: '/reason-codes',
      operation: 'createReasonCode',
      access: 'admin',
      tag,
      summary: 'Create a reason code',
      description: 'A tenant has at most 1,000 codes, inactive ones included, each with a `code` of its own.',
      body: ReasonCodeCreate,
      returns: ReasonCodeBody,
      creates: true,
      refuses: { 404: ['reason_code_not_found'], 409: ['reason_code_taken', 'too_many_reason_codes'] },
    },
    async ({ scope, body }) => presentReasonCode(await createReasonCode(scope, body)),
  ),
  route(
    {
      method: 'put',
      path: '/reason-codes/{code_id}',
      operation: 'updateReasonCode',
      access: 'admin',
      tag,
      summary: 'Change a reason code; what is not named stays',
      description:
        'Records that have the code show it as it is now. `is_active: false` retires it: new records cannot use it, and existing ones keep it. Codes cannot be deleted.',
      params: ReasonCodeParams,
      body: ReasonCodePut,
      changes: { lock: lockTree, current: async (scope, params) => presentReasonCode(await findReasonCode(scope, params)) },
      returns: ReasonCodeBody,
      refuses: { 404: ['reason_code_not_found'], 409: ['reason_code_taken'], 422: ['reason_code_cycle'] },
    },
    async ({ scope, params, body }) => presentReasonCode(await changeReasonCode(scope, params.code_id, body)),
    findReasonCode,
  ),
]
