import { createHash } from 'node:crypto'
import type { TenantScope } from '../../../db/scope.ts'
import { routeFor } from '../../../support/http/route.ts'
import { requireWorkOrder, WorkOrderParams } from '../signoffs/index.ts'
import { type CertificateDeps, issueCertificate } from './issue-certificate.ts'

const route = routeFor<TenantScope>()
/** A certificate with many photos takes time, and others may be drawn before it. */
const SECONDS = 210

export const certificateRoutes = (deps: CertificateDeps) => [
  route(
    {
      method: 'get',
      path: '/work-orders/{work_order_id}/certificate',
      operation: 'downloadWorkOrderCertificate',
      answerHeaders: {
        'Content-Disposition': 'The name of the file.',
        ETag: 'Identifies the bytes, for `If-None-Match`.',
      },
      access: 'any',
      tag: 'Sign-offs',
      summary: 'Completion certificate as a PDF',
      description:
        'Shows the work order, its machine, instructions, attachments with their hashes, photos, and all signatures with name, role, time and verification status. A work order without sign-offs has a certificate that says so. The QR code leads to `/verify/{reference}`. The content is attached to the PDF as `certificate.json`, and `npm run hub -- verify-certificate FILE` checks the Ed25519 signature over every byte of the file. The texts are in the language of the reader, `en` or `de`: that of the profile, else of `Accept-Language`. The same record gives the same bytes in a language. A certificate of many pages is drawn once and kept for a while: until it is finished, the answer is 503 with `Retry-After`. Two are drawn at once, of different tenants, and tenants take turns.',
      params: WorkOrderParams,
      returns: null,
      status: 200,
      seconds: SECONDS,
      media: { 'application/pdf': { description: 'The certificate.', example: '%PDF-1.7' } },
      refuses: { 409: ['work_order_not_completed'], 503: ['certificates_waiting', 'certificate_under_way', 'storage_away'] },
    },
    async ({ scope, params, caller, request: { signal } }) => {
      const browserLanguage = caller.headers.get('accept-language')?.split(',')[0]?.trim()
      const pdf = await issueCertificate(deps, scope, params.work_order_id, { browserLanguage, signal })
      const etag = `"${createHash('sha256').update(pdf).digest('base64url')}"`
      const headers = {
        'content-type': 'application/pdf',
        'content-disposition': `attachment; filename="certificate-${params.work_order_id}.pdf"`,
        'x-content-type-options': 'nosniff',
        'cache-control': 'private, no-cache',
        vary: 'accept-language',
        etag,
      }
      const isKnown = caller.headers.get('if-none-match') === etag
      return (isKnown ? new Response(null, { status: 304, headers }) : new Response(new Uint8Array(pdf), { headers })) as never
    },
    requireWorkOrder,
  ),
]
