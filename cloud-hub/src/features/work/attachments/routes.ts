import type { TenantScope } from '../../../db/scope.ts'
import { routeFor } from '../../../support/http/route.ts'
import { checkForm, type Spool } from '../../../support/http/spool.ts'
import type { Logger } from '../../../support/logger.ts'
import { findWorkOrder, OrderParams } from '../orders/index.ts'
import { addAttachment, checkOwner } from './add-attachment.ts'
import { deleteAttachment } from './delete-attachment.ts'
import { download } from './download.ts'
import type { FileChecker } from './file-checker.ts'
import { type AttachmentRow, findAttachment, listAttachments, machineOfEvent, type Owner } from './repository.ts'
import { AttachmentBody, AttachmentList, AttachmentParams, EventParams, OwnerQuery } from './schemas.ts'
import type { AttachmentStore } from './storage/store.ts'
import { UPLOAD_SECONDS } from './uploads.ts'

export interface AttachmentDeps {
  config: { attachments: { maxBytes: number; tenantBytes: number } }
  /** where files are stored, and where they are received */
  files: { store: AttachmentStore; checker: FileChecker; spool: Spool }
  logger: Logger
}

const route = routeFor<TenantScope>()
const tag = 'Attachments'
const FILE = 'Bearing replaced.'

const present = (row: AttachmentRow) => ({
  id: row.id,
  work_order_id: row.workOrderId,
  maintenance_event_id: row.maintenanceEventId,
  uploaded_by: row.uploadedBy,
  filename: row.filename,
  content_type: row.contentType,
  size_bytes: row.sizeBytes,
  sha256: row.sha256,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
})

const list = async (scope: TenantScope, owner: Owner) =>
  (await scope.read((sql) => listAttachments(sql, scope, owner))).map(present)
const find = (scope: TenantScope, { attachment_id }: { attachment_id: string }) =>
  scope.read((sql) => findAttachment(sql, scope, attachment_id))
const findEvent = (scope: TenantScope, { event_id }: { event_id: string }) =>
  scope.read((sql) => machineOfEvent(sql, scope, event_id))

export const attachmentRoutes = (deps: AttachmentDeps) => [uploadRoute(deps), ...listRoutes(), ...fileRoutes(deps)]

const uploadRoute = (deps: AttachmentDeps) => {
  const { maxBytes, tenantBytes } = deps.config.attachments
  return route(
    {
      method: 'post',
      path: '/attachments',
      operation: 'uploadAttachment',
      callsOut: true,
      access: 'operator',
      tag,
      summary: 'Attach a file to a work order or a maintenance event',
      description: `One file of at most ${maxBytes} bytes, as the part \`file\` of multipart/form-data; other parts are ignored. An owner has at most 200 attachments. Nothing remains of an upload that is refused or cut off. An upload may take ${UPLOAD_SECONDS} seconds, and pause for 30.`,
      query: OwnerQuery,
      upload: { field: 'file', maxBytes, isStreamed: true, description: 'The file, of any format.', example: FILE },
      seconds: UPLOAD_SECONDS,
      returns: AttachmentBody,
      creates: true,
      refuses: {
        400: ['body_aborted'],
        404: ['work_order_not_found', 'maintenance_event_not_found'],
        409: ['work_order_signed', 'attachment_quota', 'too_many_attachments'],
        503: ['uploads_busy', 'storage_full', 'storage_away'],
      },
    },
    async ({ scope, query, request, once }) => {
      const owner: Owner = query.work_order_id
        ? { kind: 'work_order', id: query.work_order_id }
        : { kind: 'maintenance_event', id: query.maintenance_event_id as string }
      checkForm(request, maxBytes)
      await checkOwner(scope, owner)
      const { store, spool } = deps.files
      return spool.receive(request, { owner: scope.tenantId, field: 'file', maxBytes }, (file) =>
        once(`${file.sha256} ${file.name}`, async () =>
          present(await addAttachment(scope, { store, quota: { tenantBytes } }, owner, file)),
        ),
      )
    },
  )
}

const listRoutes = () => [
  route(
    {
      method: 'get',
      path: '/attachments/work-order/{work_order_id}',
      operation: 'listWorkOrderAttachments',
      access: 'any',
      tag,
      summary: 'Attachments of a work order',
      description: 'All of them, oldest first.',
      params: OrderParams,
      returns: AttachmentList,
    },
    ({ scope, params }) => list(scope, { kind: 'work_order', id: params.work_order_id }),
    findWorkOrder,
  ),
  route(
    {
      method: 'get',
      path: '/attachments/maintenance/{event_id}',
      operation: 'listMaintenanceAttachments',
      access: 'any',
      tag,
      summary: 'Attachments of a maintenance event',
      description: 'All of them, oldest first.',
      params: EventParams,
      returns: AttachmentList,
    },
    ({ scope, params }) => list(scope, { kind: 'maintenance_event', id: params.event_id }),
    findEvent,
  ),
]

const fileRoutes = (deps: AttachmentDeps) => [
  route(
    {
      method: 'get',
      path: '/attachments/{attachment_id}',
      operation: 'getAttachment',
      access: 'any',
      tag,
      summary: 'What is known of an attachment',
      description: 'Without the file itself.',
      params: AttachmentParams,
      returns: AttachmentBody,
    },
    async ({ found }) => present(found),
    find,
  ),
  route(
    {
      method: 'get',
      path: '/attachments/{attachment_id}/download',
      operation: 'downloadAttachment',
      answerHeaders: {
        ETag: 'The SHA-256 of the file, for `If-None-Match` and `If-Range`.',
        'Accept-Ranges': '`bytes`: parts are answered with 206.',
        'Content-Disposition': 'The name of the file.',
      },
      access: 'any',
      tag,
      summary: 'The file of an attachment',
      description:
        'Always as a download under its name (`Content-Disposition`, RFC 6266). One range of bytes is answered with 206, one behind the end with 416, and `If-None-Match` with the `ETag` of the file with 304. A range comes only from a file whose SHA-256 the hub has compared. It compares a whole file while it sends it: a download that ends early was not as it was uploaded, or was cut off.',
      params: AttachmentParams,
      returns: null,
      media: {
        'application/octet-stream': { description: 'The bytes, under the `content_type` of the attachment.', example: FILE },
      },
      status: 200,
      refuses: { 416: ['range_not_satisfiable'], 503: ['storage_away'] },
    },
    async ({ found, request }) => (await download({ ...deps.files, logger: deps.logger }, found, request)) as never,
    find,
  ),
  route(
    {
      method: 'delete',
      path: '/attachments/{attachment_id}',
      operation: 'deleteAttachment',
      access: 'operator',
      tag,
      summary: 'Delete an attachment',
      description: 'Clears the `attachment_id` of instructions that name it. Not after its work order is signed.',
      params: AttachmentParams,
      returns: null,
      refuses: { 409: ['work_order_signed'] },
    },
    async ({ scope, params }) => {
      await deleteAttachment(scope, params.attachment_id)
      return undefined
    },
    find,
  ),
]
