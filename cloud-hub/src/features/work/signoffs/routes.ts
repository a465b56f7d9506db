import type { TenantScope } from '../../../db/scope.ts'
import { NotFound } from '../../../support/errors.ts'
import { routeFor } from '../../../support/http/route.ts'
import { signoffKeys } from './evidence-keys.ts'
import { instantText, type SignoffRow } from './record.ts'
import { listSignoffs, requireWorkOrder } from './repository.ts'
import { SignoffBody, SignoffCreate, SignoffList, SignoffParams, SignoffVerification, WorkOrderParams } from './schemas.ts'
import { type SignoffDeps, signWorkOrder } from './sign-work-order.ts'
import { type Files, verifySignedFiles } from './verify-files.ts'
import { verifyWorkOrder } from './verify-signoffs.ts'

const route = routeFor<TenantScope>()
const tag = 'Sign-offs'

const presentSignoff = (row: SignoffRow) => ({
  id: row.id,
  work_order_id: row.workOrderId,
  number: row.number,
  signed_by: row.signedBy,
  signer_name: row.signerName,
  signer_role: row.signerRole,
  signature_hash: row.signatureHash,
  signed_at: instantText(row.signedAt),
  created_at: instantText(row.createdAt),
})

export const signoffRoutes = (deps: SignoffDeps & { files: Files }) => [
  route(
    {
      method: 'post',
      path: '/work-orders/{work_order_id}/signoffs',
      operation: 'signWorkOrder',
      access: 'operator',
      tag,
      summary: 'Sign a completed work order',
      description:
        'Signs the work order as it is now, with its instructions, their completion and the hashes of its attachments. From then on these cannot be changed (409 `work_order_signed`); comments and further sign-offs, also by the same person, stay possible, at most 20. Wrong passwords count towards the lockout. Ten requests of an account may check the password at once; others get 429 with `Retry-After: 1`.',
      params: WorkOrderParams,
      body: SignoffCreate,
      returns: SignoffBody,
      creates: true,
      refuses: {
        403: ['password_wrong', 'password_not_set'],
        409: ['work_order_not_completed', 'too_many_signoffs', 'signoffs_incomplete'],
        429: ['login_locked'],
        503: ['busy'],
      },
    },
    async ({ scope, params, body }) => presentSignoff(await signWorkOrder(deps, scope, params.work_order_id, body.password)),
    requireWorkOrder,
  ),
  route(
    {
      method: 'get',
      path: '/work-orders/{work_order_id}/signoffs',
      operation: 'listWorkOrderSignoffs',
      access: 'any',
      tag,
      summary: 'Sign-offs of a work order, newest first',
      description: 'All sign-offs of the work order, at most 20. Names and roles are those at signing.',
      params: WorkOrderParams,
      returns: SignoffList,
    },
    async ({ scope, params }) => (await listSignoffs(scope, params.work_order_id)).map(presentSignoff),
    requireWorkOrder,
  ),
  route(
    {
      method: 'get',
      path: '/work-orders/{work_order_id}/signoffs/{signoff_id}/verify',
      operation: 'verifyWorkOrderSignoff',
      access: 'any',
      tag,
      summary: 'Verify a sign-off',
      description:
        'Recomputes the HMAC from the work order, its instructions and attachments as they are stored now, and from the signer as he was at signing, and compares in constant time. Then it checks the two chains of sign-offs: of the work order and of the tenant. A change by SQL shows too. It also compares the stored files of the attachments with their hashes, which reads a file again only when it was changed or replaced. Signatures of older keys stay verifiable.',
      params: SignoffParams,
      returns: SignoffVerification,
      refuses: { 503: ['storage_away'] },
    },
    async ({ scope, params, request }) => {
      const keys = await signoffKeys(deps.pools.system, deps.box)
      const record = await scope.tx((sql) => verifyWorkOrder(sql, scope, params.work_order_id, keys))
      const { signoffs } = await verifySignedFiles(record, deps.files, { signal: request.signal })
      const found = signoffs.find(({ id }) => id === params.signoff_id)
      if (!found) throw new NotFound('signoff', params.signoff_id)
      return { signoff_id: found.id, is_valid: found.isValid, detail: found.detail, fault: found.fault }
    },
    requireWorkOrder,
  ),
]
