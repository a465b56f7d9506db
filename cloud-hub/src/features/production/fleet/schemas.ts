import { MACHINE_STATUSES, SEVERITIES } from '../../../db/enums.ts'
import { Days, Id, Instant, Paging, pageOf, pathId, QueryBoolean } from '../../../support/http/shapes.ts'
import { z } from '../../../support/http/z.ts'
import { ofGroup } from '../../plant/machine-groups/index.ts'

const FleetMachine = z.object({
  machine_id: Id.describe('The machine.'),
  machine_name: z.string().describe('Its name.'),
  machine_identifier: z.string().describe('What readings name it by.'),
  status: z.enum(MACHINE_STATUSES).describe('Its status.'),
  active_alert_count: z.int().describe('Unacknowledged alerts, cleared or not.'),
})
const machineExample = { machine_name: 'Press 1', machine_identifier: 'press-01', status: 'healthy', active_alert_count: 0 }

export const FleetStatusBody = z
  .object({
    total_machines: z.int().describe('How many machines are listed.'),
    machines: z
      .array(
        FleetMachine.extend({
          last_reading_at: Instant.nullable().describe('The newest reading of all its metrics; null without readings.'),
        }).openapi('FleetMachine', { example: machineExample }),
      )
      .describe('The active machines, by name.'),
  })
  .openapi('FleetStatus', { example: { total_machines: 1 } })

export const StatusQuery = z.object({ group_id: ofGroup('machines') })

/** How many machines of a page have a trend. */
export const OVERVIEW_TRENDS = 20
export const OverviewQuery = z.object({
  ...Paging,
  group_id: ofGroup('machines'),
  status: z.enum(MACHINE_STATUSES).optional().describe('Only machines with this status.'),
  machine_ids: z
    .string()
    .transform((list) => list.split(','))
    .pipe(z.array(Id).max(OVERVIEW_TRENDS, `may hold at most ${OVERVIEW_TRENDS} ids`))
    .optional()
    .openapi({ type: 'string', description: `Only these machines: up to ${OVERVIEW_TRENDS} ids with commas between them.` }),
  trends: QueryBoolean.optional().openapi({
    description: `Whether the first ${OVERVIEW_TRENDS} machines of the page that violate a threshold have their \`trend\`. Default: false.`,
    example: true,
  }),
  search: z.string().max(200, 'must have at most 200 characters').optional().openapi({
    description: 'Only machines whose name or identifier contains this text; case does not matter.',
    example: 'press',
  }),
})
/** How many readings a machine of the overview shows. */
export const OVERVIEW_READINGS = 4
/** How many violations a machine of the overview shows. */
export const OVERVIEW_VIOLATIONS = 3
const Violation = z
  .object({
    alert_id: Id.describe('Its alert.'),
    severity: z.enum(SEVERITIES).describe('The severity of the alert.'),
    metric_name: z.string().describe('The metric, for a composite rule that of its first true condition.'),
    unit: z.string().describe('The unit of `threshold_value`.'),
    threshold_value: z.number().describe('The threshold that was crossed.'),
    is_above: z.boolean().describe('Whether the value that raised the alert was above the threshold, not below it.'),
    triggered_at: Instant.describe('Since when: the reading that raised the alert.'),
    acknowledged_at: Instant.nullable().describe('When the alert was acknowledged; null: not yet.'),
    acknowledged_by_name: z
      .string()
      .nullable()
      .describe('The user or the API key that acknowledged it; null: not yet, or deleted since.'),
  })
  .openapi('Violation', {
    example: {
      severity: 'critical',
      metric_name: 'vibration',
      unit: 'mm/s',
      threshold_value: 7.1,
      is_above: true,
      triggered_at: '2026-01-31T11:58:00.000Z',
      acknowledged_at: '2026-01-31T11:59:00.000Z',
      acknowledged_by_name: 'Olga Operator',
    },
  })
const StatusCounts = z
  .object({
    critical: z.int().describe('Active machines with status `critical`.'),
    warning: z.int().describe('Active machines with status `warning`.'),
    offline: z.int().describe('Active machines with status `offline`.'),
    healthy: z.int().describe('Active machines with status `healthy`.'),
  })
  .openapi('StatusCounts', { example: { critical: 1, warning: 0, offline: 2, healthy: 9 } })
export const FleetOverviewBody = pageOf(
  FleetMachine.extend({
    readings: z
      .array(
        z.object({
          metric_name: z.string().describe('The metric.'),
          unit: z.string().describe('Its unit.'),
          value: z.number().describe('The newest value.'),
          timestamp: Instant.describe('When it was measured.'),
          is_pinned: z
            .boolean()
            .describe('Whether the caller has pinned this metric (`pinned_metrics` of `PATCH /settings/profile`).'),
        }),
      )
      .describe(
        `Its newest readings: those of \`violations\`, then pinned ones, then those that an alert rule watches, then by metric, at most ${OVERVIEW_READINGS}.`,
      ),
    violations: z
      .array(Violation)
      .describe(
        `Its alerts whose condition has not ended, one a metric, the most severe first, then the oldest, at most ${OVERVIEW_VIOLATIONS}.`,
      ),
    trend: z
      .object({
        metric_name: z.string().describe('The metric of its first violation.'),
        unit: z.string().describe('The unit of the values.'),
        from: Instant.describe('The start of the first minute.'),
        values: z.array(z.number().nullable()).describe('The mean of each minute until now; null without a reading.'),
      })
      .nullable()
      .describe('The last hour of the metric that it violates; null without `trends`, or where it violates none.'),
  }).openapi('OverviewMachine', {
    example: {
      ...machineExample,
      readings: [
        { metric_name: 'oil_temperature', unit: 'celsius', value: 61.5, timestamp: '2026-01-31T12:00:00.000Z', is_pinned: false },
      ],
      violations: [],
      trend: null,
    },
  }),
)
  .extend({
    counts: StatusCounts.describe('All active machines of the tenant, or of the group, by status, whatever the other filters.'),
  })
  .openapi('FleetOverview')

export const SiteParams = z.object({
  site_id: pathId('site').describe('The site, from `GET /fleet/sites`: a machine group of type `site`.'),
})
export const SiteQuery = z.object({ days: Days(30) })

export const SiteBody = z
  .object({
    site_id: Id.describe('The site: the id of its machine group.'),
    name: z.string().describe('The name of the group.'),
    machine_count: z.int().describe('Active machines of the site and of its nested groups.'),
    healthy_count: z.int().describe('Those with status `healthy`.'),
    warning_count: z.int().describe('Those with status `warning`.'),
    critical_count: z.int().describe('Those with status `critical`.'),
    offline_count: z.int().describe('Those with status `offline`.'),
    active_alert_count: z.int().describe('Their unacknowledged alerts, cleared or not.'),
    open_work_order_count: z.int().describe('Their work orders that are open or in progress.'),
    downtime_hours: z.number().describe('Their downtime in the window, all types, overlaps of a machine once.'),
    uptime_percent: z.number().nullable().describe('The rest of the window of all machines; null without machines.'),
    mttr_hours: z.number().nullable().describe('Mean time to restoration over all their repairs; null without one.'),
    mtbf_hours: z
      .number()
      .nullable()
      .describe('Mean operating time between failures over all their pairs of failures; null without one.'),
    oee_pct: z.number().nullable().describe('Mean OEE of their completed shift logs with planned time; null without one.'),
    oee_weighted_pct: z
      .number()
      .nullable()
      .describe('OEE of these logs as one, from sums of minutes and parts; null without planned time.'),
  })
  .openapi('Site', {
    example: {
      name: 'Plant North',
      machine_count: 12,
      healthy_count: 10,
      warning_count: 1,
      critical_count: 0,
      offline_count: 1,
      active_alert_count: 3,
      open_work_order_count: 2,
      downtime_hours: 54,
      uptime_percent: 99.4,
      mttr_hours: 0.75,
      mtbf_hours: 160,
      oee_pct: 81.5,
      oee_weighted_pct: 80.9,
    },
  })

const SORTS = [
  'name',
  'machine_count',
  'active_alert_count',
  'open_work_order_count',
  'downtime_hours',
  'uptime_percent',
  'mttr_hours',
  'mtbf_hours',
  'oee_pct',
  'oee_weighted_pct',
] as const
export const ComparisonQuery = z.object({
  days: Days(30),
  sort_by: z
    .enum(SORTS, { error: `must be one of ${SORTS.join(', ')}` })
    .default('name')
    .openapi({ description: 'The figure by which sites are ranked; those without it come last.', example: 'oee_pct' }),
  sort_dir: z
    .enum(['asc', 'desc'], { error: 'must be asc or desc' })
    .default('asc')
    .openapi({ description: 'Ascending or descending.', example: 'desc' }),
})
