import { fault } from '@haltless/protocol'
import { Id, Instant, pathId } from '../../../support/http/shapes.ts'
import { z } from '../../../support/http/z.ts'
import { FaultBody } from '../../plant/faults/index.ts'

export const WorkOrderParams = z.object({
  work_order_id: pathId('work order').describe('The work order, from `GET /work-orders`.'),
})
export const SignoffParams = WorkOrderParams.extend({
  signoff_id: pathId('signoff').describe('The sign-off, from `GET /work-orders/{work_order_id}/signoffs`.'),
})

const CHANGED = fault('signoff_record_changed', { fields: 'work_order.title' })
export const SignoffCreate = z
  .object({
    password: z.string().max(1_000).describe('The password of the signed-in user: who signs proves to be present.'),
  })
  .openapi('SignoffCreate', { example: { password: 'Correct-horse-7' } })

export const SignoffBody = z
  .object({
    id: Id.describe('Identifies the sign-off.'),
    work_order_id: Id.describe('The signed work order.'),
    number: z.int().describe('Position among the sign-offs of the work order, from 1.'),
    signed_by: Id.describe('The user who signed.'),
    signer_name: z.string().describe('The name of the user, as it was at signing.'),
    signer_role: z.string().describe('The role of the user, as it was at signing.'),
    signature_hash: z.string().describe('HMAC-SHA256 over the canonical JSON (RFC 8785) of the signed record, in hex.'),
    signed_at: Instant.describe('When it was signed.'),
    created_at: Instant.describe('When the hub stored it; the same instant.'),
  })
  .openapi('Signoff', {
    example: {
      number: 1,
      signer_name: 'Ada Byron',
      signer_role: 'operator',
      signature_hash: '5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef',
    },
  })
export const SignoffList = z.array(SignoffBody)

export const SignoffVerification = z
  .object({
    signoff_id: Id.describe('The sign-off that was verified.'),
    is_valid: z
      .boolean()
      .describe(
        'Whether the record is as it was signed, the signature belongs to it, and both chains are complete at this sign-off.',
      ),
    detail: z.string().describe('What was found; when it is not valid, the check that failed and the changed fields.'),
    fault: FaultBody.nullable().describe('The check that failed, as a fault; null when it is valid.'),
  })
  .openapi('SignoffVerification', {
    example: { is_valid: false, detail: CHANGED.detail, fault: { ...CHANGED } },
  })
