import type { OutboundEntity } from '../../../db/enums.ts'
import { Id } from '../../../support/http/shapes.ts'
import { z } from '../../../support/http/z.ts'
import { FaultBody } from '../../plant/faults/index.ts'

const OUTBOUND = ['work_order', 'production_data', 'downtime'] as const satisfies readonly OutboundEntity[]

export const PreviewCreate = z
  .object({
    entity_type: z.enum(OUTBOUND).describe('What would be sent. Machines are fetched only, so they have no preview.'),
    entity_id: Id.describe('The work order, shift log or downtime record.'),
  })
  .openapi('ErpPreviewCreate')
const PreparedBody = z
  .object({
    method: z.string().describe('The HTTP method.'),
    url: z.string().describe('The complete URL.'),
    headers: z
      .record(z.string(), z.string())
      .describe('The headers that matter for the record; credentials and tokens are absent.'),
    body: z.unknown().describe('The body, after `field_mapping`.'),
  })
  .openapi('ErpPreparedRequest', {
    example: {
      method: 'POST',
      url: 'https://erp.example.com/api/work-orders',
      headers: { 'content-type': 'application/json' },
      body: { shortText: 'Replace the bearing' },
    },
  })
export const PreviewBody = z
  .object({
    action: z
      .enum(['create', 'update', 'none'])
      .describe(
        '`create`: Haltless knows no record of the ERP for it. A sync first searches the ERP by our id, and updates what it finds. `update`: it is known. `none`: nothing can be sent; `problems` says why.',
      ),
    external_id: z.string().nullable().describe('The id of the record in the ERP; null: unknown.'),
    is_changed: z.boolean().describe('Whether the record would be sent: it is new, or differs from what the ERP accepted last.'),
    request: PreparedBody.nullable().describe('The request; null when nothing can be sent.'),
    problems: z
      .array(z.string())
      .describe('What would prevent the exchange, and the error of the last attempt; empty when nothing is known.'),
    faults: z.array(FaultBody).describe('The problems as faults, in the same order.'),
  })
  .openapi('ErpPreview', { example: { action: 'create', external_id: null, is_changed: true, problems: [], faults: [] } })
