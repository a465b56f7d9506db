import { DOWNTIME_SOURCES, REASON_TYPES } from '../../../db/enums.ts'
import { CursorPaging, cursorPageOf } from '../../../support/http/cursor.ts'
import { RecordVersion } from '../../../support/http/record-version.ts'
import { Id, Instant, Paging, pathId, rangeEnd, text } from '../../../support/http/shapes.ts'
import { z } from '../../../support/http/z.ts'
import { ofGroup } from '../../plant/machine-groups/index.ts'
import { MachineName } from '../../plant/machines/index.ts'
import { EmbeddedReasonCode } from '../reason-codes/index.ts'

export const RecordParams = z.object({
  machine_id: pathId('machine').describe('The machine, from `GET /machines`.'),
  record_id: pathId('downtime record').describe('The record, from `GET /machines/{machine_id}/downtime`.'),
})

const typeText = '`planned`, `unplanned`, `changeover` or `maintenance`.'
export const ReasonTypeShape = z.enum(REASON_TYPES, { error: `must be one of ${REASON_TYPES.join(', ')}` })
const startedAt = rangeEnd('start').describe('When the machine stopped: a date or datetime, not in the future.')
const endedAt = rangeEnd('until').describe(
  'When it ran again: a date (which covers its whole day, UTC) or datetime, after the start and not in the future.',
)
const reasons = {
  reason_type: ReasonTypeShape.describe(`${typeText} Default: the category of the reason code, else \`unplanned\`.`),
  reason_code_id: Id.nullable().describe('Why it stopped, an active code from `GET /reason-codes`; null: none.'),
  reason_note: z
    .union([z.literal(''), text(2_000)])
    .nullable()
    .transform((value) => value || null)
    .describe('What happened, up to 2,000 characters; null or an empty string clears it.'),
}
const example = { started_at: '2026-01-31T09:00:00Z', ended_at: '2026-01-31T09:45:00Z', reason_note: 'Belt torn' }

export const RecordCreate = z
  .object({
    started_at: startedAt,
    ended_at: endedAt.nullable().describe('When it ran again; null: it is still stopped.'),
    ...reasons,
  })
  .partial()
  .required({ started_at: true })
  .openapi('DowntimeCreate', { example })
export const RecordPut = z
  .object({
    started_at: startedAt,
    ended_at: endedAt.nullable().describe('When it ran again. Null leaves an ongoing record ongoing; an ended one stays ended.'),
    ...reasons,
    reason_type: ReasonTypeShape.describe(`${typeText} With a \`reason_code_id\` alone it becomes the category of the code.`),
  })
  .partial()
  .openapi('DowntimePut', { example: { reason_note: 'Belt torn at the splice' } })
export const RecordSplit = z
  .object({
    at: rangeEnd('start').describe('Where the second part starts: after the start of the record and before its end.'),
    ...reasons,
    reason_type: ReasonTypeShape.describe(
      'The type of the second part. Default: the category of a given `reason_code_id`, else as before.',
    ),
    reason_code_id: reasons.reason_code_id.describe('The code of the second part. Default: as before; null: none.'),
    reason_note: reasons.reason_note.describe('The note of the second part. Default: as before; null: none.'),
  })
  .partial()
  .required({ at: true })
  .openapi('DowntimeSplit', { example: { at: '2026-01-31T09:30:00Z', reason_type: 'maintenance' } })

const MAX_MERGED = 100
/** Records may be joined across uptime of this length: detection can see a stop as several. */
export const MAX_MERGE_GAP_MINUTES = 5
export const RecordMerge = z
  .object({
    record_ids: z
      .array(Id)
      .min(1, 'must name at least one record')
      .max(MAX_MERGED, `must name at most ${MAX_MERGED} records`)
      .describe('The records to join to the record of the path, 1 to 100, of the same machine. Its own id changes nothing.'),
  })
  .openapi('DowntimeMerge')

export const RecordBody = z
  .object({
    id: Id.describe('Identifies the record: the `record_id` of paths.'),
    machine_id: Id.describe('The machine that was stopped.'),
    machine_name: MachineName,
    started_at: Instant.describe('When it stopped.'),
    ended_at: Instant.nullable().describe('When it ran again; null while the downtime is ongoing.'),
    duration_minutes: z.number().nullable().describe('From start to end; null while ongoing.'),
    reason_type: z.enum(REASON_TYPES).describe(typeText),
    reason_code_id: Id.nullable().describe('Why it stopped; null: no code.'),
    reason_code: EmbeddedReasonCode.nullable().describe('The reason code as it is now; null: none.'),
    reason_note: z.string().nullable().describe('What happened; null when not given.'),
    source: z.enum(DOWNTIME_SOURCES).describe('`automatic`: the hub detected it. `manual`: a user recorded it.'),
    edited_at: Instant.nullable().describe('When a user first changed an automatic record; null: never, or a manual record.'),
    created_by: Id.nullable().describe('The user who recorded it; null for automatic records.'),
    created_at: Instant.describe('When the record was created.'),
    updated_at: Instant.describe('When it was last changed.'),
    version: RecordVersion,
  })
  .openapi('DowntimeRecord', {
    example: {
      machine_name: 'Press 1',
      started_at: '2026-01-31T09:00:00.000Z',
      ended_at: '2026-01-31T09:45:00.000Z',
      duration_minutes: 45,
      reason_type: 'unplanned',
      reason_note: 'Belt torn',
      source: 'manual',
      edited_at: null,
    },
  })
export const RecordPage = cursorPageOf(RecordBody).openapi('DowntimePage')

export const MachineRecordsQuery = z.object(Paging)

export const RECORD_SORTS = ['started_at', 'ended_at', 'duration_minutes', 'reason_type', 'created_at'] as const
/** What a timeline can show of one page. */
const MAX_MACHINES = 50
export const FleetDowntimeQuery = z.object({
  ...CursorPaging,
  machine_id: Id.optional().describe('Only records of this machine.'),
  group_id: ofGroup('records of machines'),
  machine_ids: z
    .string()
    .transform((list) => list.split(','))
    .pipe(z.array(Id).max(MAX_MACHINES, `may hold at most ${MAX_MACHINES} ids`))
    .optional()
    .openapi({
      type: 'string',
      description: `Only records of these machines: up to ${MAX_MACHINES} ids with commas between them.`,
    }),
  reason_type: ReasonTypeShape.optional().openapi({ description: 'Only records of this type.', example: 'unplanned' }),
  reason_code_id: Id.optional().describe('Only records with this reason code.'),
  source: z
    .enum(DOWNTIME_SOURCES, { error: 'must be manual or automatic' })
    .optional()
    .openapi({ description: 'Only records that users made, or that the hub detected.', example: 'manual' }),
  status: z
    .enum(['ongoing', 'completed'], { error: 'must be ongoing or completed' })
    .optional()
    .openapi({ description: 'Only records without an end, or with one.', example: 'completed' }),
  ended_after: Instant.optional().openapi({
    description: 'Only records that ended after this instant, and ongoing ones: with `date_to` those that touch a range.',
    example: '2026-01-01T00:00:00.000Z',
  }),
  date_from: rangeEnd('start').optional().describe('Only records that started at or after this date or datetime.'),
  date_to: rangeEnd('end')
    .optional()
    .describe('Only records that started at or before this date or datetime; a date covers its whole day (UTC).'),
  sort_by: z
    .enum(RECORD_SORTS, { error: `must be one of ${RECORD_SORTS.join(', ')}` })
    .default('started_at')
    .openapi({
      description:
        'An ongoing record sorts by its duration until now, and after all ends. Lists by `started_at` and `created_at` have cursors.',
      example: 'started_at',
    }),
  sort_dir: z
    .enum(['asc', 'desc'], { error: 'must be asc or desc' })
    .default('desc')
    .openapi({ description: 'Ascending or descending.', example: 'desc' }),
})
