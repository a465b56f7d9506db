import { REASON_TYPES, SHIFT_LOG_STATUSES } from '../../../db/enums.ts'
import { RecordVersion } from '../../../support/http/record-version.ts'
import {
  CalendarDate,
  Id,
  Instant,
  OptionalPaging,
  Paging,
  pathId,
  QueryBoolean,
  rangeEnd,
  text,
} from '../../../support/http/shapes.ts'
import { invalid } from '../../../support/http/validation-message.ts'
import { z } from '../../../support/http/z.ts'
import { FACTS } from '../../alerting/alerts/index.ts'
import { ofGroup } from '../../plant/machine-groups/index.ts'
import { MachineName } from '../../plant/machines/index.ts'
import { NoteBody } from '../../work/notes/index.ts'
import { EmbeddedReasonCode } from '../reason-codes/index.ts'

/** Maximum per tenant, because one answer lists all of them. */
/** Of each site, and of those of all sites. */
export const MAX_DEFINITIONS = 200
/** Of a tenant. */
export const MAX_DEFINITIONS_OF_TENANT = 2_000

export const DefinitionParams = z.object({
  definition_id: pathId('shift definition').describe('The shift definition, from `GET /shifts/definitions`.'),
})
export const LogParams = z.object({ log_id: pathId('shift log').describe('The shift log, from `GET /shifts/logs`.') })

const TimeOfDay = z
  .string(invalid('invalid_time_of_day'))
  .regex(/^(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d)?$/, invalid('invalid_time_of_day'))
  .transform((time) => (time.length === 5 ? `${time}:00` : time))
  .openapi({ type: 'string', example: '06:00:00' })
const Color = z.string().regex(/^#[0-9A-Fa-f]{6}$/, invalid('invalid_color'))
const whole = (min: number, max: number) =>
  z.int('must be a whole number').min(min, `must be at least ${min}`).max(max, `must be at most ${max}`)

const siteText = 'The site whose machines have this shift, a machine group of type `site`; null: all machines.'

const definitionFields = {
  group_id: Id.nullable().describe(`${siteText} Null by default.`),
  name: text(200).describe('The name that people see.'),
  start_time: TimeOfDay.describe('When it starts, in the local time of its site or of the plant.'),
  end_time: TimeOfDay.describe('When it ends; at or before `start_time`: on the next day.'),
  duration_minutes: whole(1, 1_440).describe(
    'Its length, for display. Left out, it is computed from the times. A shift lasts from its start to its end, whatever is stated here.',
  ),
  color: z.union([z.literal(''), Color]).openapi({
    type: 'string',
    description: 'The colour in which clients show it; an empty string chooses that of the hub.',
  }),
  is_active: z.boolean().describe('Whether it starts automatically and counts as planned time; true by default.'),
  sort_order: whole(-1_000_000, 1_000_000).describe('Its place in lists, from the lowest; 0 by default.'),
}
const definitionExample = { name: 'Early', start_time: '06:00:00', end_time: '14:00:00', color: '#336699' }

export const DefinitionCreate = z
  .object(definitionFields)
  .partial()
  .required({ name: true, start_time: true, end_time: true })
  .openapi('ShiftDefinitionCreate', { example: definitionExample })
export const DefinitionPut = z
  .object(definitionFields)
  .partial()
  .openapi('ShiftDefinitionPut', { example: { end_time: '14:30:00' } })
export const DefinitionBody = z
  .object({
    id: Id.describe('Identifies the definition: the `shift_definition_id` of logs.'),
    group_id: Id.nullable().describe(siteText),
    name: z.string().describe('The name that people see.'),
    start_time: z.string().describe('When it starts, in the local time of its site or of the plant.'),
    end_time: z.string().describe('When it ends; at or before `start_time`: on the next day.'),
    duration_minutes: z.int().describe('Its length, as stated or computed from the times.'),
    color: z.string().describe('The colour in which clients show it.'),
    is_active: z.boolean().describe('False once it was deactivated.'),
    sort_order: z.int().describe('Its place in lists, from the lowest.'),
    created_at: Instant.describe('When it was created.'),
    updated_at: Instant.describe('When it was last changed.'),
    version: RecordVersion,
  })
  .openapi('ShiftDefinition', {
    example: { ...definitionExample, group_id: null, duration_minutes: 480, is_active: true, sort_order: 0 },
  })
export const DefinitionQuery = z.object({
  active_only: QueryBoolean.default(true).openapi({
    description: 'Whether deactivated definitions are left out; true by default.',
    example: true,
  }),
  group_id: Id.optional().describe(
    'Only definitions that hold for this site or for a group inside it: its own and those of all sites. None for an unknown group.',
  ),
})

const statusText = '`active`, then `completed` or `cancelled`. A completed log has an end, an active one has none.'
const Status = z.enum(SHIFT_LOG_STATUSES, { error: `must be one of ${SHIFT_LOG_STATUSES.join(', ')}` }).describe(statusText)
const clearable = (max: number) =>
  z
    .union([z.literal(''), text(max)])
    .nullable()
    .transform((value) => value || null)

const logFields = {
  actual_start: rangeEnd('start').describe('When it started: a date or datetime.'),
  actual_end: rangeEnd('start').nullable().describe('When it ended, after the start; null: it has not.'),
  supervisor: clearable(200).describe('Who is in charge; null or an empty string clears it.'),
  operator_count: whole(0, 10_000).nullable().describe('How many operators work; null: unknown.'),
  handover_notes: clearable(10_000).describe(
    'Notes for the next shift, up to 10,000 characters; null or an empty string clears them.',
  ),
  status: Status,
}
const logExample = {
  shift_date: '2026-01-30',
  actual_start: '2026-01-30T05:00:00Z',
  actual_end: '2026-01-30T13:00:00Z',
  supervisor: 'Sam Supervisor',
  operator_count: 4,
  handover_notes: 'Belt 2 slips.',
}

export const LogCreate = z
  .object({
    machine_id: Id.describe('The machine.'),
    shift_definition_id: Id.describe('The definition of the shift.'),
    shift_date: CalendarDate.describe(
      "The day to which the shift belongs, in the local time of the machine's site or of the plant: that of its start.",
    ),
    ...logFields,
  })
  .partial()
  .required({ machine_id: true, shift_definition_id: true, shift_date: true, actual_start: true })
  .openapi('ShiftLogCreate', { example: logExample })
export const LogPatch = z
  .object(logFields)
  .partial()
  .openapi('ShiftLogPatch', { example: { handover_notes: 'Belt 2 slips.' } })

const logBody = {
  id: Id.describe('Identifies the log: the `log_id` of paths.'),
  machine_id: Id.describe('The machine.'),
  machine_name: MachineName,
  shift_definition_id: Id.describe('The definition of the shift.'),
  shift_date: z.string().describe('The day to which the shift belongs.'),
  actual_start: Instant.describe('When it started.'),
  actual_end: Instant.nullable().describe('When it ended; null: it has not.'),
  supervisor: z.string().nullable().describe('Who is in charge; null: not stated.'),
  operator_count: z.int().nullable().describe('How many operators work; null: not stated.'),
  handover_notes: z.string().nullable().describe('Notes for the next shift; null: none.'),
  status: z.enum(SHIFT_LOG_STATUSES).describe(statusText),
  shift_name: z.string().describe('The present name of the definition.'),
  shift_color: z.string().describe('The present colour of the definition.'),
  duration_minutes: z.number().nullable().describe('From start to end; null: it has not ended.'),
  is_automatic: z.boolean().describe('True when the hub started the log by the definition.'),
  created_at: Instant.describe('When the log was created.'),
  updated_at: Instant.describe('When it was last changed.'),
  version: RecordVersion,
}
const logBodyExample = {
  machine_name: 'Press 1',
  ...logExample,
  actual_start: '2026-01-30T05:00:00.000Z',
  actual_end: '2026-01-30T13:00:00.000Z',
  status: 'completed',
  shift_name: 'Early',
  shift_color: '#336699',
  duration_minutes: 480,
  is_automatic: false,
} as const
export const LogBody = z.object(logBody).openapi('ShiftLog', { example: logBodyExample })
export const LogPage = z
  .object({
    items: z.array(LogBody).describe('The logs of this page.'),
    total: z.int().describe('Logs on all pages together.'),
    page: z.int().describe('The requested page, from 1.'),
    page_size: z.int().describe('The most logs that a page holds.'),
  })
  .openapi('ShiftLogPage', { example: { total: 1, page: 1, page_size: 20 } })
export const ActiveLogBody = z
  .object({
    ...logBody,
    elapsed_minutes: z.number().describe('Minutes since `actual_start`.'),
  })
  .openapi('ActiveShiftLog', {
    example: {
      ...logBodyExample,
      actual_end: null,
      status: 'active',
      duration_minutes: null,
      elapsed_minutes: 90,
    },
  })

const DateQuery = (side: string) => CalendarDate.optional().describe(side)
export const LogQuery = z.object({
  machine_id: Id.optional().describe('Only logs of this machine.'),
  group_id: ofGroup('logs of machines'),
  from_date: DateQuery('Only logs with this `shift_date` or a later one.'),
  to_date: DateQuery('Only logs with this `shift_date` or an earlier one.'),
  status: Status.optional().openapi({ description: 'Only logs with this status.', example: 'active' }),
  ...Paging,
})

export const ActiveQuery = z.object({
  ...OptionalPaging,
  group_id: ofGroup('logs of machines'),
  first_of_each: QueryBoolean.optional().openapi({
    description: 'True: of each shift definition only the log that started first, which tells what shifts are in progress.',
    example: true,
  }),
})

export const HandoverBody = z
  .object({
    shift_log: LogBody.describe('The log.'),
    alerts_during_shift: z
      .array(
        z.object({
          id: Id.describe('The alert.'),
          ...FACTS,
          description: z.string().describe('Its message.'),
          created_at: Instant.describe('When it was raised.'),
        }),
      )
      .describe('Alerts of the machine that were raised in the shift, by time; at most 1,000, the newest.'),
    downtime_during_shift: z
      .array(
        z.object({
          id: Id.describe('The downtime record.'),
          reason_type: z.enum(['planned', 'unplanned', 'changeover', 'maintenance']).describe('Its type.'),
          reason_note: z.string().nullable().describe('Its note; null: none.'),
          started_at: Instant.describe('When it started, perhaps before the shift.'),
          ended_at: Instant.nullable().describe('When it ended, perhaps after the shift; null: it is ongoing.'),
          duration_minutes: z.number().nullable().describe('The length of the whole record; null: it is ongoing.'),
        }),
      )
      .describe('Downtime records that overlap the shift, whole, by start; at most 1,000, the newest.'),
    micro_stops: z
      .array(
        z.object({
          reason_type: z.enum(REASON_TYPES).describe('The category of the code; of records without a code their type.'),
          reason_code: EmbeddedReasonCode.nullable().describe('The reason code; null: records of this type without a code.'),
          count: z.int().describe('How many there were.'),
          minutes: z.number().describe('How long they lasted together.'),
        }),
      )
      .describe('Ended records of less than 5 minutes among them, by reason; those that took longest together first.'),
    notes: z
      .array(NoteBody)
      .describe('Notes about the machine, and about groups that contain it, that touch the shift, by time; the latest 1,000.'),
    total_downtime_minutes: z.number().describe('Downtime inside the shift, of all records; overlaps count once.'),
    alert_count: z.int().describe('How many alerts were raised in the shift.'),
  })
  .openapi('ShiftHandover', {
    example: {
      alerts_during_shift: [],
      downtime_during_shift: [],
      micro_stops: [],
      notes: [],
      total_downtime_minutes: 12.5,
      alert_count: 0,
    },
  })
