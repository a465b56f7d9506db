import { Id, Instant, pathId } from '../../../support/http/shapes.ts'
import { invalid } from '../../../support/http/validation-message.ts'
import { z } from '../../../support/http/z.ts'

export const AttachmentParams = z.object({
  attachment_id: pathId('attachment').describe('The attachment, from `GET /attachments/work-order/{work_order_id}`.'),
})
export const EventParams = z.object({
  event_id: pathId('maintenance event').describe('The maintenance event, from `GET /maintenance`.'),
})

/** Exactly one of the two. */
export const OwnerQuery = z
  .object({
    work_order_id: Id.optional().describe('The work order that the file belongs to; this or `maintenance_event_id`.'),
    maintenance_event_id: Id.optional().openapi({
      description: 'The maintenance event that the file belongs to; this or `work_order_id`.',
    }),
  })
  .refine(({ work_order_id, maintenance_event_id }) => (work_order_id === undefined) !== (maintenance_event_id === undefined), {
    path: ['work_order_id'],
    ...invalid('one_of_two', { one: 'work_order_id', other: 'maintenance_event_id' }),
  })

export const AttachmentBody = z
  .object({
    id: Id.describe('Identifies the attachment.'),
    work_order_id: Id.nullable().describe('The work order that it belongs to; null: a maintenance event.'),
    maintenance_event_id: Id.nullable().describe('The maintenance event that it belongs to; null: a work order.'),
    uploaded_by: Id.describe('The user who uploaded it.'),
    filename: z.string().describe('The name that the client gave it, without folders and control characters.'),
    content_type: z
      .string()
      .describe(
        'The media type that the bytes show. For bytes without a signature that of the ending `txt`, `csv` or `json`, else `application/octet-stream`.',
      ),
    size_bytes: z.int().describe('The number of bytes.'),
    sha256: z.string().describe('SHA-256 of the bytes, in hex.'),
    created_at: Instant.describe('When it was uploaded.'),
    updated_at: Instant.describe('The same instant: attachments do not change.'),
  })
  .openapi('Attachment', {
    example: {
      maintenance_event_id: null,
      filename: 'bearing.txt',
      content_type: 'text/plain',
      size_bytes: 17,
      sha256: '0d7c5b6ed2a1a4fd35e2a0ee02a2ed3d3ee2a3d5dbf2dbbc3e0d1a2b9c5f9b1e',
    },
  })
export const AttachmentList = z.array(AttachmentBody)
