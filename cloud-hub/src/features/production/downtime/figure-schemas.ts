import { REASON_TYPES } from '../../../db/enums.ts'
import { DayCount, Days, Id, Instant, OptionalPaging, rangeEnd, whole } from '../../../support/http/shapes.ts'
import { invalid } from '../../../support/http/validation-message.ts'
import { z } from '../../../support/http/z.ts'
import { ofGroup } from '../../plant/machine-groups/index.ts'
import { EmbeddedReasonCode } from '../reason-codes/index.ts'

const machineId = Id.describe('The machine.')
const observedFrom = Instant.nullable().describe(
  'The first reading or downtime record of the machine; null without either. Before it nothing was observed, so that uptime is no evidence.',
)

export const UptimeQuery = z.object({
  start: rangeEnd('start').optional().describe('From this date or datetime. Without it: the 30 days before `end`.'),
  end: rangeEnd('until')
    .optional()
    .describe('Up to this date or datetime; a date covers its whole day (UTC). Without it: now. At most 90 days after `start`.'),
})
export const UptimeBody = z
  .object({
    machine_id: machineId,
    total_hours: z.number().describe('The length of the window, which ends now at the latest.'),
    downtime_hours: z.number().describe('Downtime in the window, all types, overlaps once.'),
    uptime_percent: z.number().nullable().describe('The rest of the window as a share of it; null for a window in the future.'),
    by_reason: z
      .object({
        planned: z.number().describe('Hours of `planned` downtime.'),
        unplanned: z.number().describe('Hours of `unplanned` downtime.'),
        changeover: z.number().describe('Hours of `changeover`.'),
        maintenance: z.number().describe('Hours of `maintenance`.'),
      })
      .describe('Hours by type. They add up to `downtime_hours`: an overlap belongs to the record that started first.'),
    observed_from: observedFrom,
  })
  .openapi('UptimeSummary', {
    example: {
      total_hours: 720,
      downtime_hours: 18,
      uptime_percent: 97.5,
      by_reason: { planned: 4, unplanned: 12, changeover: 2, maintenance: 0 },
      observed_from: '2026-01-01T12:00:00.000Z',
    },
  })

export const ReliabilityQuery = z.object({ days: Days(90) })
export const FleetReliabilityQuery = ReliabilityQuery.extend({ ...OptionalPaging, group_id: ofGroup('machines') })
const reliability = {
  machine_id: machineId,
  mttr_hours: z.number().nullable().describe('Mean time to restoration; null without a repair.'),
  mtbf_hours: z.number().nullable().describe('Mean operating time between failures; null with fewer than two failures.'),
  repair_event_count: z.int().describe('Ended records of type `unplanned` and `maintenance` that started in the window.'),
  failure_event_count: z.int().describe('Failures that started in the window; unplanned records that overlap or adjoin are one.'),
  lookback_days: z.int().describe('The length of the window in days.'),
}
const reliabilityExample = { mttr_hours: 0.75, mtbf_hours: 160, repair_event_count: 4, failure_event_count: 3, lookback_days: 90 }
export const ReliabilityBody = z.object(reliability).openapi('Reliability', { example: reliabilityExample })
export const MachineReliabilityBody = z
  .object({ ...reliability, observed_from: observedFrom })
  .openapi('MachineReliability', { example: { ...reliabilityExample, observed_from: '2026-01-01T12:00:00.000Z' } })
export const FleetReliabilityBody = z
  .object({
    machines: z.array(ReliabilityBody).describe('The active machines, by name.'),
    fleet_mttr_hours: z.number().nullable().describe('Over the repairs of all these machines; null without one.'),
    fleet_mtbf_hours: z
      .number()
      .nullable()
      .describe('Over all intervals between two failures of a machine; null where no machine had two.'),
  })
  .openapi('FleetReliability', { example: { fleet_mttr_hours: 0.75, fleet_mtbf_hours: 160 } })

const DEFAULT_MICRO_STOP_MINUTES = 5
export const ParetoQuery = z.object({
  days: DayCount.optional().openapi({
    description: 'The days until now, 1 to 90. Default: 30. Not together with a date range.',
    example: 30,
  }),
  date_from: rangeEnd('start').optional().describe('Instead of `days`: from this date or datetime.'),
  date_to: rangeEnd('until')
    .optional()
    .describe(
      'Instead of `days`: up to this date or datetime, at most 90 days after `date_from`; a date covers its whole day (UTC).',
    ),
  machine_id: Id.optional().describe('Only this machine.'),
  group_id: ofGroup('machines'),
  top: whole(1_000).optional().openapi({
    description: 'Only so many reasons, 1 to 1000; `other` has the sum of the rest. Without it all.',
    example: 12,
  }),
  micro_stop_minutes: z
    .string()
    .regex(/^\d{1,4}(\.\d{1,3})?$/, invalid('wrong_type', { expected: 'number' }, 'must be a number of minutes'))
    .transform(Number)
    .pipe(z.number().max(60, 'must be at most 60'))
    .default(DEFAULT_MICRO_STOP_MINUTES)
    .openapi({
      type: 'number',
      minimum: 0,
      maximum: 60,
      description:
        'Ended records shorter than this are micro-stops, counted apart. 0: none. Default: 5, the usual limit of minor stops.',
      example: 5,
    }),
})
const Reason = z
  .object({
    reason_type: z.enum(REASON_TYPES).describe('The category of the code; of records without a code their type.'),
    reason_code: EmbeddedReasonCode.nullable().describe('The reason code; null: records of this type without a code.'),
    minutes: z.number().describe('Downtime in the window, each minute of a machine once.'),
    count: z.int().describe('Records that reach into the window.'),
    share_percent: z.number().describe('The share of `total_minutes`.'),
    cumulative_percent: z.number().describe('The share of this and all reasons before it.'),
  })
  .openapi('ParetoReason', {
    example: {
      reason_type: 'unplanned',
      reason_code: null,
      minutes: 720,
      count: 9,
      share_percent: 66.7,
      cumulative_percent: 66.7,
    },
  })
export const ParetoBody = z
  .object({
    date_from: Instant.describe('Start of the window.'),
    date_to: Instant.describe('End of the window: now at the latest, but not before its start.'),
    micro_stop_minutes: z.number().describe('The limit of micro-stops.'),
    total_minutes: z.number().describe('Downtime of all reasons, without micro-stops.'),
    total_count: z.int().describe('Records of all reasons, without micro-stops.'),
    micro_stops: z
      .object({
        count: z.int().describe('How many there were.'),
        minutes: z.number().describe('How long they lasted together, in the window.'),
      })
      .describe('Ended records shorter than the limit.'),
    reasons: z.array(Reason).describe('By minutes, the longest first; at most `top`.'),
    other: z
      .object({
        reason_count: z.int().describe('How many reasons `top` leaves out.'),
        minutes: z.number().describe('Their downtime in the window.'),
        count: z.int().describe('Their records.'),
        share_percent: z.number().describe('Their share of `total_minutes`.'),
      })
      .nullable()
      .describe('The reasons beyond `top` together; null when all are listed.'),
  })
  .openapi('DowntimePareto', {
    example: {
      micro_stop_minutes: 5,
      total_minutes: 1_080,
      total_count: 12,
      micro_stops: { count: 31, minutes: 62 },
      other: null,
    },
  })
