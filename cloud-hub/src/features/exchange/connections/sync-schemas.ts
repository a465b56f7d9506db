import { ERP_ENTITIES } from '../../../db/enums.ts'
import { z } from '../../../support/http/z.ts'
import { Direction } from './log-schemas.ts'

/** Not `Id`: an unsupported combination is refused before a malformed id. */
const UncheckedId = z.unknown().openapi({ type: ['string', 'null'], format: 'uuid' })

export const SyncCreate = z
  .object({
    direction: Direction.describe('`outbound`: Haltless -> ERP. `inbound`: ERP -> Haltless, for machines only.'),
    entity_type: z.enum(ERP_ENTITIES).describe('`machine` is fetched (`inbound`), the others are sent (`outbound`).'),
    entity_id: UncheckedId.optional().describe(
      'Only with `outbound`: the work order, shift log or downtime record to send. Without it: everything that was never sent or has changed since, at most 500.',
    ),
  })
  .openapi('ErpSyncCreate', { example: { direction: 'outbound', entity_type: 'work_order' } })
