import { exampleId } from '../../../support/http/example.ts'
import { RecordVersion } from '../../../support/http/record-version.ts'
import { Id, Instant, Paging, pageOf, pathId, QueryBoolean, rangeEnd, text } from '../../../support/http/shapes.ts'
import { z } from '../../../support/http/z.ts'

export const MAX_DAYS = 366
const MAX_MENTIONS = 20

export const NoteParams = z.object({ note_id: pathId('note').describe('The note, from `GET /notes`.') })

const fields = {
  starts_at: rangeEnd('start').describe('The instant that the note is about, or where its range begins: a date or datetime.'),
  ends_at: rangeEnd('until')
    .nullable()
    .openapi({
      type: ['string', 'null'],
      format: 'date-time',
      description: `Where its range ends, after the start and at most ${MAX_DAYS} days later; a date covers its whole day (UTC). Null: the note is about an instant.`,
    }),
  body: text(2_000).describe('The text, 1 to 2,000 characters.'),
  mention_ids: z
    .array(Id)
    .max(MAX_MENTIONS, `must have at most ${MAX_MENTIONS} entries`)
    .describe(
      `The active users whom the note mentions, at most ${MAX_MENTIONS}. Those who were not mentioned before are notified by e-mail and web push, except the caller.`,
    ),
}

const example = {
  starts_at: '2026-01-31T09:00:00Z',
  ends_at: '2026-01-31T09:40:00Z',
  body: 'New oil filled in. The pressure is lower until it is warm.',
}
export const NoteCreate = z
  .object({
    machine_id: Id.describe('The machine that it is about. Either this or `group_id`.'),
    group_id: Id.describe('The machine group that it is about, such as a site. Either this or `machine_id`.'),
    ...fields,
  })
  .partial()
  .required({ starts_at: true, body: true })
  .openapi('NoteCreate', { example: { machine_id: exampleId('machine_id'), ...example } })
export const NotePatch = z
  .object(fields)
  .partial()
  .openapi('NotePatch', { example: { body: 'New oil filled in, type 46.' } })

export const NoteBody = z
  .object({
    id: Id.describe('Identifies the note: the `note_id` of paths.'),
    machine_id: Id.nullable().describe('The machine that it is about; null: it is about a group.'),
    group_id: Id.nullable().describe('The machine group that it is about; null: it is about a machine.'),
    subject_name: z.string().describe('The name of the machine or group.'),
    starts_at: Instant.describe('The instant that it is about, or where its range begins.'),
    ends_at: Instant.nullable().describe('Where its range ends; null: it is about an instant.'),
    body: z.string().describe('The text.'),
    mention_ids: z.array(Id).describe('The users whom it mentions.'),
    author_id: Id.describe('The user who wrote it.'),
    author_name: z.string().describe('The name of the author as it was when the note was written.'),
    created_at: Instant.describe('When it was written.'),
    updated_at: Instant.describe('When it was last changed.'),
    version: RecordVersion,
  })
  .openapi('Note', {
    example: {
      group_id: null,
      subject_name: 'Press 1',
      starts_at: '2026-01-31T09:00:00.000Z',
      ends_at: '2026-01-31T09:40:00.000Z',
      body: example.body,
      mention_ids: [],
      author_name: 'Olga Operator',
    },
  })
export const NotePage = pageOf(NoteBody).openapi('NotePage')

export const NoteQuery = z.object({
  ...Paging,
  machine_id: Id.optional().describe('Only notes about this machine.'),
  group_id: Id.optional().describe('Only notes about this machine group, the groups below it, and their machines.'),
  with_groups: QueryBoolean.optional().openapi({
    description: 'With `machine_id`, `true` adds the notes about the groups that contain the machine, such as its site.',
  }),
  from: rangeEnd('start').optional().describe('Only notes about this date or datetime, or a later one.'),
  to: rangeEnd('until')
    .optional()
    .describe('Only notes about a time before this datetime, or about this date or before (UTC); after `from`.'),
})
