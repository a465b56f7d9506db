import { FiniteNumber, Id, Instant, Paging, pageOf, QueryBoolean, rangeEnd } from '../../../support/http/shapes.ts'
import { z } from '../../../support/http/z.ts'

export const AnomalySummary = z
  .object({
    machine_id: Id.describe('The machine.'),
    total_anomaly_events: z.int().describe('Events that began in the last 30 days.'),
    metrics: z
      .array(
        z.object({
          metric_name: z.string().describe('The metric.'),
          unit: z.string().describe('Its unit.'),
          total_events: z.int().describe('Its events of the last 30 days.'),
          latest_sigma: z
            .number()
            .describe(
              'Of the newest event: how many standard deviations its first reading was above the baseline; below is negative.',
            ),
          latest_at: Instant.describe('When the newest event began.'),
        }),
      )
      .describe('The metrics with events, most events first.'),
    baseline_drift: z
      .array(
        z.object({
          metric_name: z.string().describe('The metric.'),
          unit: z.string().describe('Its unit.'),
          baseline_mean: z.number().describe('The mean of the trailing 7 days, as `/baselines` shows it.'),
          current_mean: z.number().describe('The mean of the last 24 hours.'),
          drift_sigma: z
            .number()
            .nullable()
            .describe('Their difference in standard deviations of the baseline; null where the baseline has no spread.'),
        }),
      )
      .describe('The metrics with a baseline and readings in the last 24 hours, by name.'),
  })
  .openapi('AnomalySummary', {
    example: {
      total_anomaly_events: 3,
      metrics: [
        { metric_name: 'vibration', unit: 'mm/s', total_events: 3, latest_sigma: 4.1, latest_at: '2026-01-31T11:40:00.000Z' },
      ],
      baseline_drift: [{ metric_name: 'vibration', unit: 'mm/s', baseline_mean: 2.1, current_mean: 2.9, drift_sigma: 1.6 }],
    },
  })

export const AnomalyQuery = z.object({
  ...Paging,
  metric_name: z.string().max(255).optional().openapi({ description: 'Only events of this metric.', example: 'vibration' }),
  is_open: QueryBoolean.optional().openapi({
    description: 'True: only events that last; false: only ended ones.',
    example: true,
  }),
  start: rangeEnd('start')
    .optional()
    .openapi({ description: 'Only events that began then or later.', example: '2026-01-01T00:00:00.000Z' }),
  end: rangeEnd('end')
    .optional()
    .openapi({ description: 'Only events that began then or earlier.', example: '2026-01-31T12:00:00.000Z' }),
})
export const AnomalyEvent = z
  .object({
    id: Id.describe('Identifies the event.'),
    machine_id: Id.describe('The machine.'),
    metric_name: z.string().describe('The metric.'),
    unit: z.string().describe('The unit of the values.'),
    value: FiniteNumber.describe('The reading that began it.'),
    sigma: FiniteNumber.describe('How many standard deviations that was above the baseline; below is negative.'),
    baseline_mean: FiniteNumber.describe('The mean of the baseline at that time.'),
    baseline_std_dev: FiniteNumber.describe('Its standard deviation.'),
    started_at: Instant.describe('The timestamp of that reading.'),
    ended_at: Instant.nullable().describe(
      'The timestamp of the first reading within 3 standard deviations again; null while it lasts.',
    ),
  })
  .openapi('AnomalyEvent', {
    example: {
      metric_name: 'vibration',
      unit: 'mm/s',
      value: 5.4,
      sigma: 4.1,
      baseline_mean: 2.1,
      baseline_std_dev: 0.8,
      ended_at: null,
    },
  })
export const AnomalyPage = pageOf(AnomalyEvent).openapi('AnomalyPage')
