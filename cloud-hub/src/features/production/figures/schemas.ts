import { REASON_TYPES } from '../../../db/enums.ts'
import { Id, Instant, Paging, pageOf, rangeEnd, whole } from '../../../support/http/shapes.ts'
import { z } from '../../../support/http/z.ts'
import { EmbeddedReasonCode } from '../reason-codes/index.ts'

export const INTERVALS = ['none', 'week', 'day', 'shift'] as const
export const DIMENSIONS = ['machine', 'group', 'reason'] as const

/** A date, as a day of the plant, or an instant. */
const bound = (side: 'start' | 'until') => {
  const instant = rangeEnd(side)
  return z
    .string()
    .transform((value, ctx) => {
      const parsed = instant.safeParse(value)
      if (parsed.success) return /^\d{4}-\d{2}-\d{2}$/.test(value) ? value : parsed.data
      for (const issue of parsed.error.issues) ctx.issues.push({ ...issue, input: value } as never)
      return z.NEVER
    })
    .openapi({ type: 'string', format: 'date-time' })
}

const number = (text: string) => z.number().describe(text)
const nullable = (text: string) => z.number().nullable().describe(text)

/** Null with `by=reason`: a reason has downtime only. Null with `interval=shift`: what is not measured by shift. */
const FIGURES = {
  downtime_hours: number(
    'Downtime in the period, all types, overlaps of a machine once; with `interval=shift` that of the shifts.',
  ),
  downtime_count: nullable('Downtime records that started in the period; null by shift.'),
  uptime_percent: nullable('The rest of the time of all machines; null without machines, in the future, and by shift or reason.'),
  repair_event_count: nullable(
    'Ended records of type `unplanned` and `maintenance` that started in it; null by shift or reason.',
  ),
  failure_event_count: nullable('Failures that started in it; adjoining ones of a machine are one. Null by shift or reason.'),
  mttr_hours: nullable('Mean time to restoration over all these repairs; null without one, and by shift or reason.'),
  mtbf_hours: nullable(
    'Mean operating time between failures, over all pairs of a machine in it; null without one, and by shift or reason.',
  ),
  planned_hours: nullable('Planned time of the completed shift logs; null by reason.'),
  run_hours: nullable('Planned time less availability losses; null by reason.'),
  oee_pct: nullable('OEE of these logs as one, from sums of minutes and parts; null without planned time, and by reason.'),
  availability_pct: nullable('Their run time over planned time; null without planned time, and by reason.'),
  performance_pct: nullable('Their performance, weighted by run time; null without run time, and by reason.'),
  quality_pct: nullable('Good over all parts where counters say it, by time elsewhere; null without run time, and by reason.'),
  part_count: nullable('Parts made in the logs whose machine reports `total_count` and `good_count`; null by reason.'),
  good_part_count: nullable('Those that are good; null by reason.'),
  alert_count: nullable('Alerts raised in the period; null by shift or reason.'),
  critical_alert_count: nullable('Those of severity `critical`; null by shift or reason.'),
}
export type FigureName = keyof typeof FIGURES
export const FIGURE_NAMES = Object.keys(FIGURES) as FigureName[]
export type Figures = Record<FigureName, number | null>

const example = {
  downtime_hours: 54,
  downtime_count: 31,
  uptime_percent: 99.4,
  repair_event_count: 24,
  failure_event_count: 22,
  mttr_hours: 0.75,
  mtbf_hours: 160,
  planned_hours: 5_760,
  run_hours: 5_190,
  oee_pct: 80.9,
  availability_pct: 90.1,
  performance_pct: 93.4,
  quality_pct: 96.1,
  part_count: 118_400,
  good_part_count: 113_782,
  alert_count: 12,
  critical_alert_count: 3,
}

const SORTS = ['name', 'period', ...FIGURE_NAMES] as const
export const FiguresQuery = z.object({
  page: Paging.page,
  page_size: whole(500).default(100).openapi({ default: 100, description: 'Entries on a page, 1 to 500.', example: 100 }),
  group_id: Id.optional().describe('Only machines of this group and of its nested groups.'),
  machine_id: Id.optional().describe('Only this machine, also a deactivated one.'),
  from: bound('start')
    .optional()
    .describe('From this date, a day of the plant or site, or datetime. Without it: the 30 days before `to`.'),
  to: bound('until')
    .optional()
    .describe('Up to this date, which is included, or datetime. Without it: now. At most 366 days after `from`.'),
  interval: z
    .enum(INTERVALS, { error: `must be one of ${INTERVALS.join(', ')}` })
    .default('none')
    .openapi({
      description:
        'An entry for each shift, day or week (from Monday) of its machines: those of a site with a time zone of its own follow that, others the plant; `none`: one for the whole range. With `by`, days may span 31 and weeks 92 days; shifts span at most 31 days.',
      example: 'none',
    }),
  by: z
    .enum(DIMENSIONS, { error: `must be one of ${DIMENSIONS.join(', ')}` })
    .optional()
    .openapi({
      description:
        'An entry for each active machine, for each group with its nested groups, or for each reason of downtime; without it one for all machines together.',
      example: 'machine',
    }),
  group_type: z
    .string()
    .max(50, 'must have at most 50 characters')
    .optional()
    .openapi({ description: 'With `by=group`: only groups of this type, such as `site`.', example: 'site' }),
  compare: z.enum(['previous'], { error: 'must be previous' }).optional().openapi({
    description: 'Adds the figures of the range of the same length directly before. Only with the interval `none`.',
    example: 'previous',
  }),
  sort_by: z
    .enum(SORTS, { error: `must be one of ${SORTS.join(', ')}` })
    .default('period')
    .openapi({
      description: 'The order; entries without the figure come last, and equal ones by period and name.',
      example: 'downtime_hours',
    }),
  sort_dir: z
    .enum(['asc', 'desc'], { error: 'must be asc or desc' })
    .default('asc')
    .openapi({ description: 'Ascending or descending.', example: 'desc' }),
})

const Figures = z.object(FIGURES)
const Change = z.object(
  Object.fromEntries(FIGURE_NAMES.map((name) => [name, nullable(`Change of \`${name}\`.`)])) as Record<
    FigureName,
    z.ZodNullable<z.ZodNumber>
  >,
)
export const FiguresEntry = z
  .object({
    start: Instant.describe('When the period starts; for machines in several time zones, where the plant is.'),
    end: Instant.describe('When it ends: now at the latest.'),
    shift_date: z.string().nullable().describe('The date of the shift; null unless `interval=shift`.'),
    shift_definition_id: Id.nullable().describe('Its definition; null unless `interval=shift`.'),
    shift_name: z.string().nullable().describe('Its present name; null unless `interval=shift`.'),
    machine_id: Id.nullable().describe('The machine; null unless `by=machine`.'),
    group_id: Id.nullable().describe('The group; null unless `by=group`.'),
    name: z.string().nullable().describe('The name of the machine, of the group or of the reason code; else null.'),
    reason_type: z
      .enum(REASON_TYPES)
      .nullable()
      .describe('The category of the code, or the type of records without one; null unless `by=reason`.'),
    reason_code: EmbeddedReasonCode.nullable().describe('The reason code; null unless `by=reason`, and for records without one.'),
    machine_count: z.int().nullable().describe('Machines that the figures are about; null by reason, and by shift.'),
    figures: Figures.describe(
      'Sums and rates of the period. A rate over several machines comes from sums and is no mean of rates.',
    ),
    previous: Figures.nullable().describe('Those of the range before; null without `compare`.'),
    change: Change.nullable().describe('Figures less those before, null where one is; null without `compare`.'),
  })
  .openapi('FiguresEntry', {
    example: {
      shift_date: null,
      shift_definition_id: null,
      shift_name: null,
      machine_id: null,
      group_id: null,
      name: null,
      reason_type: null,
      reason_code: null,
      machine_count: 12,
      figures: example,
      previous: null,
      change: null,
    },
  })

export const FiguresBody = pageOf(FiguresEntry)
  .extend({
    from: Instant.describe('Start of the range.'),
    to: Instant.describe('End of the range: now at the latest, but not before its start.'),
    time_zone: z
      .string()
      .describe('The time zone of `from` and `to`: that of the site of `machine_id` or `group_id`, else of the plant.'),
    interval: z.enum(INTERVALS).describe('What a period is.'),
    by: z.enum(DIMENSIONS).nullable().describe('What an entry is about; null: all machines together.'),
  })
  .openapi('FleetFigures', { example: { time_zone: 'Europe/Berlin', interval: 'none', by: null } })

export type FiguresQueryOutput = z.output<typeof FiguresQuery>
