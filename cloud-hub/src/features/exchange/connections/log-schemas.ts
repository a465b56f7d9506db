import { ERP_ENTITIES, ERP_LOG_STATUSES, ERP_RUN_STATUSES } from '../../../db/enums.ts'
import { CursorPaging, NextCursor } from '../../../support/http/cursor.ts'
import { Id, Instant, Paging, pathId, rangeEnd } from '../../../support/http/shapes.ts'
import { invalid } from '../../../support/http/validation-message.ts'
import { z } from '../../../support/http/z.ts'
import { FaultBody } from '../../plant/faults/index.ts'

export const Direction = z.enum(['outbound', 'inbound'])
const texts = {
  direction: '`outbound`: Haltless -> ERP. `inbound`: ERP -> Haltless.',
  entity: 'What was exchanged: work orders, production data of completed shift logs, downtime records, or machines.',
}

export const LogBody = z
  .object({
    id: Id.describe('Identifies the entry.'),
    erp_connection_id: Id.describe('The connection, which may have been deleted since.'),
    run_id: Id.describe('The run that wrote the entry.'),
    direction: Direction.describe(texts.direction),
    entity_type: z.enum(ERP_ENTITIES).describe(texts.entity),
    entity_id: Id.nullable().describe(
      'The work order, shift log, downtime record or machine; null for an asset that became no machine, and when a run failed before its first record.',
    ),
    external_id: z.string().nullable().describe('The id of the record in the ERP; null when it has none or is unknown.'),
    status: z
      .enum(ERP_LOG_STATUSES)
      .describe('`skipped`: nothing had to be done; `error_message` says why when it is not obvious.'),
    error_message: z.string().nullable().describe('What went wrong and what to do; null when nothing did.'),
    fault: FaultBody.nullable().describe(
      'The same as a fault; null when nothing went wrong, and in entries of earlier versions.',
    ),
    request_summary: z.string().nullable().describe('The call to the ERP, without secrets; null when there was none.'),
    response_summary: z.string().nullable().describe('What the ERP answered, without secrets; null when it did not.'),
    created_at: Instant.describe('When the attempt ended.'),
  })
  .openapi('ErpSyncLog', {
    example: {
      direction: 'outbound',
      entity_type: 'work_order',
      external_id: 'WO-4711',
      status: 'success',
      error_message: null,
      fault: null,
      request_summary: 'POST /api/work-orders',
      response_summary: '201 Created',
    },
  })
export const LogPage = z
  .object({
    items: z.array(LogBody).describe('The entries of this page.'),
    total: z.int().describe('Entries on all pages together.'),
    page: z.int().describe('The requested page, from 1.'),
    page_size: z.int().describe('The most entries that a page holds.'),
    next_cursor: NextCursor,
  })
  .openapi('ErpSyncLogPage', { example: { total: 1, page: 1, page_size: 20 } })

const filters = {
  ...CursorPaging,
  entity_type: z.enum(ERP_ENTITIES).optional().describe('Only entries about this kind of record.'),
  direction: Direction.optional().describe('Only entries of this direction.'),
  status: z.enum(ERP_LOG_STATUSES).optional().describe('Only entries with this outcome.'),
  entity_id: Id.optional().describe('Only entries about this work order, shift log, downtime record or machine.'),
  run_id: Id.optional().describe('Only entries of this run.'),
  from: rangeEnd('start').optional().describe('Only entries from this date or datetime on.'),
  to: rangeEnd('end').optional().describe('Only entries up to this date or datetime; a date covers its whole day.'),
}
const ascends = ({ from, to }: { from?: Date | undefined; to?: Date | undefined }) => !from || !to || from < to
const fault = { path: ['to'], ...invalid('not_after', { other: 'from' }) }
export const LogQuery = z.object(filters).refine(ascends, fault)
export const AllLogsQuery = z
  .object({
    ...filters,
    erp_connection_id: Id.optional().describe('Only entries of this connection, which may have been deleted.'),
  })
  .refine(ascends, fault)

export const RunParams = z.object({
  connection_id: pathId('erp connection').describe('The connection, from `GET /erp/connections`.'),
  run_id: pathId('erp run').describe('The run, from `GET /erp/connections/{connection_id}/runs`.'),
})
export const RunQuery = z.object({
  ...Paging,
  status: z.enum(ERP_RUN_STATUSES).optional().describe('Only runs in this state.'),
})
export const RunBody = z
  .object({
    id: Id.describe('Identifies the run: the `run_id` of paths and logs.'),
    erp_connection_id: Id.describe('The connection.'),
    direction: Direction.describe(texts.direction),
    entity_type: z.enum(ERP_ENTITIES).describe(texts.entity),
    entity_id: Id.nullable().describe('The single record of a manual sync; null: everything that is due.'),
    trigger: z.enum(['manual', 'automatic']).describe('`manual`: a user started it. `automatic`: a toggle and the interval did.'),
    status: z
      .enum(ERP_RUN_STATUSES)
      .describe('`running`, and in the end `success`, `partial` (some records failed) or `failed`.'),
    total: z.int().nullable().describe('Records to process; null until it is known.'),
    succeeded: z.int().describe('Records that were exchanged so far.'),
    failed: z.int().describe('Records that failed so far; each has a log entry and is tried again.'),
    skipped: z.int().describe('Records for which nothing had to be done.'),
    error_message: z.string().nullable().describe('Why the run ended early; null when it did not.'),
    fault: FaultBody.nullable().describe('The same as a fault; null when it did not, and in runs of earlier versions.'),
    started_at: Instant.describe('When it started.'),
    ended_at: Instant.nullable().describe('When it ended; null while it runs.'),
  })
  .openapi('ErpRun', {
    example: {
      direction: 'outbound',
      entity_type: 'work_order',
      entity_id: null,
      trigger: 'automatic',
      status: 'success',
      total: 12,
      succeeded: 12,
      failed: 0,
      skipped: 0,
      error_message: null,
      fault: null,
    },
  })
export const RunPage = z
  .object({
    items: z.array(RunBody).describe('The runs of this page.'),
    total: z.int().describe('Runs on all pages together.'),
    page: z.int().describe('The requested page, from 1.'),
    page_size: z.int().describe('The most runs that a page holds.'),
  })
  .openapi('ErpRunPage', { example: { total: 1, page: 1, page_size: 20 } })
