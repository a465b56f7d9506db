import { CalendarDate, Id, Instant, rangeEnd } from '../../../support/http/shapes.ts'
import { z } from '../../../support/http/z.ts'
import { ofGroup } from '../../plant/machine-groups/index.ts'

export const ComparisonQuery = z.object({
  machine_id: Id.optional().describe('Only logs of this machine.'),
  group_id: ofGroup('logs of machines'),
  from_date: CalendarDate.optional().describe('The first `shift_date`; 29 days before the last by default.'),
  to_date: CalendarDate.optional().describe('The last `shift_date`; today in the plant by default. At most 90 days in all.'),
})

const pct = (text: string) => z.number().nullable().describe(text)

const Weighted = z.object({
  oee_pct: pct('Availability times performance times quality; null without planned time.'),
  availability_pct: pct('Run time over planned time; null without planned time.'),
  performance_pct: pct('Run time times performance over run time; null without run time.'),
  quality_pct: pct('Good over all parts where counters say it, by time elsewhere; null without run time.'),
})

export const ComparisonBody = z
  .object({
    machine_id: Id.nullable().describe('The requested machine; null: all.'),
    from_date: z.string().describe('The first day.'),
    to_date: z.string().describe('The last day.'),
    shifts: z
      .array(
        z.object({
          shift_definition_id: Id.describe('The definition.'),
          shift_name: z.string().describe('Its present name.'),
          shift_color: z.string().describe('Its present colour.'),
          record_count: z.int().describe('Completed logs.'),
          avg_oee_pct: pct('Mean of the OEE of each log, in percent; null: no log had planned time.'),
          avg_availability_pct: pct('Mean of the availability of each log, in percent; null: no log had planned time.'),
          avg_performance_pct: pct('Mean of the performance of each log, in percent; null: no log had run time.'),
          avg_quality_pct: pct('Mean of the quality of each log, in percent; null: no log had run time.'),
          total_downtime_minutes: z.number().describe('All downtime inside the shifts, planned included, overlaps once.'),
          avg_planned_production_minutes: pct('Mean of the planned time of logs that had some, in minutes; null: none had.'),
          weighted: Weighted.describe('The figures of all logs as one, from sums of minutes and parts: long shifts weigh more.'),
        }),
      )
      .describe('The shifts that have completed logs on these days.'),
  })
  .openapi('ShiftComparison', {
    example: {
      machine_id: null,
      from_date: '2026-01-02',
      to_date: '2026-01-31',
      shifts: [
        {
          shift_definition_id: '0198c7d4-5a00-7000-8000-000000000001',
          shift_name: 'Early',
          shift_color: '#336699',
          record_count: 21,
          avg_oee_pct: 71.28,
          avg_availability_pct: 90,
          avg_performance_pct: 82.5,
          avg_quality_pct: 96,
          total_downtime_minutes: 1_008,
          avg_planned_production_minutes: 480,
          weighted: { oee_pct: 71.84, availability_pct: 90.2, performance_pct: 82.8, quality_pct: 96.19 },
        },
      ],
    },
  })

export const INTERVALS = ['shift', '1h', '1d'] as const
export const OeeQuery = z.object({
  interval: z
    .enum(INTERVALS, { error: `must be one of ${INTERVALS.join(', ')}` })
    .default('shift')
    .openapi({
      description: 'A period is a completed shift log, an hour or a day of the plant; `shift` by default.',
      example: 'shift',
    }),
  start: rangeEnd('start').optional().describe('From this date or datetime; 30 days before the end by default, with `1h` a day.'),
  end: rangeEnd('until').optional().describe('Until this date or datetime; a date covers its whole day (UTC); now by default.'),
})

const Source = z.enum(['counters', 'time_losses']).nullable()
const Period = z.object({
  start: Instant.describe('When the period starts.'),
  end: Instant.describe('When it ends, exclusive; the present hour or day ends now.'),
  shift_log_id: Id.nullable().describe('The shift log; null for hours and days.'),
  shift_name: z.string().nullable().describe('The present name of the shift; null for hours and days.'),
  planned_minutes: z.number().describe('Planned production: shift time less time that was not scheduled.'),
  run_minutes: z.number().describe('Planned production less availability losses.'),
  downtime_minutes: z.number().describe('All downtime in shift time, planned included, overlaps once.'),
  losses: z
    .object({
      not_scheduled_minutes: z.number().describe('Planned downtime, and reason codes of the category `not_scheduled`.'),
      availability_loss_minutes: z.number().describe('Other downtime without reason code, and `availability_loss`.'),
      performance_loss_minutes: z
        .number()
        .describe('Run time that performance leaves out: by counters, or by reason codes of the category `performance_loss`.'),
      quality_loss_minutes: z
        .number()
        .describe('Of the rest, what quality leaves out: by counters, or by reason codes of the category `quality_loss`.'),
    })
    .describe(
      'What planned production loses: planned time less the last three is planned time times OEE. Each instant of downtime counts once, in this order of precedence.',
    ),
  total_count: z.number().nullable().describe('Increase of the counter `total_count`; null: no readings.'),
  good_count: z.number().nullable().describe('Increase of the counter `good_count`; null: no readings.'),
  ideal_cycle_seconds: z
    .number()
    .nullable()
    .describe(
      'Last value of `ideal_cycle_seconds` before the end, of several shifts in the period their mean by parts; null: none.',
    ),
  ignored_dips: z
    .int()
    .describe('Readings of both counters below the one before that were ignored, because the next one had returned.'),
  performance_source: Source.describe('What performance is computed from; null: it is undefined.'),
  quality_source: Source.describe('What quality is computed from; null: it is undefined.'),
  availability_pct: pct('Run time over planned time; null without planned time.'),
  performance_pct: pct(
    'Ideal cycle times total count over run time, or run time less performance losses over run time; null without run time.',
  ),
  quality_pct: pct(
    'Good over total count, or the time without quality losses over the time that remains after performance losses; null without run time.',
  ),
  oee_pct: pct('The product of the three; 0 without run time, null without planned time.'),
})

export const OeeBody = z
  .object({
    machine_id: Id.describe('The machine.'),
    interval: z.enum(INTERVALS).describe('What a period is.'),
    start: Instant.describe('The start of the range.'),
    end: Instant.describe('The end of the range.'),
    time_zone: z.string().describe('The time zone in which days start: that of the site of the machine, else of the plant.'),
    weighted: Weighted.describe('The figures of all periods as one, from sums of minutes and parts: long periods weigh more.'),
    totals: z
      .object({
        planned_minutes: z.number().describe('Planned production of all periods.'),
        availability_loss_minutes: z.number().describe('What availability takes of it.'),
        performance_loss_minutes: z.number().describe('Of the rest, what performance takes.'),
        quality_loss_minutes: z.number().describe('Of the rest, what quality takes: planned time times OEE remains.'),
        ignored_dips: z.int().describe('Readings of counters that were ignored.'),
      })
      .describe('Minutes of all periods together, by the weighted figures.'),
    periods: z.array(Period).describe('The periods by time; hours and days without planned production have `planned_minutes` 0.'),
  })
  .openapi('MachineOee', {
    example: {
      interval: 'shift',
      start: '2026-01-01T12:00:00.000Z',
      end: '2026-01-31T12:00:00.000Z',
      time_zone: 'Europe/Berlin',
      weighted: { oee_pct: 71.28, availability_pct: 90, performance_pct: 82.5, quality_pct: 96 },
      totals: {
        planned_minutes: 450,
        availability_loss_minutes: 45,
        performance_loss_minutes: 70.88,
        quality_loss_minutes: 13.37,
        ignored_dips: 0,
      },
      periods: [
        {
          start: '2026-01-30T05:00:00.000Z',
          end: '2026-01-30T13:00:00.000Z',
          shift_log_id: '0198c7d4-5a00-7000-8000-000000000002',
          shift_name: 'Early',
          planned_minutes: 450,
          run_minutes: 405,
          downtime_minutes: 75,
          losses: {
            not_scheduled_minutes: 30,
            availability_loss_minutes: 45,
            performance_loss_minutes: 70.88,
            quality_loss_minutes: 13.37,
          },
          total_count: 1_215,
          good_count: 1_166,
          ideal_cycle_seconds: 16.5,
          ignored_dips: 0,
          performance_source: 'counters',
          quality_source: 'counters',
          availability_pct: 90,
          performance_pct: 82.5,
          quality_pct: 96,
          oee_pct: 71.28,
        },
      ],
    },
  })
