import { exampleId } from '../../../support/http/example.ts'
import { Id, Instant, QueryBoolean, rangeEnd, Timezone } from '../../../support/http/shapes.ts'
import { z } from '../../../support/http/z.ts'

export const INTERVAL_SECONDS = { '1m': 60, '5m': 300, '15m': 900, '1h': 3_600, '6h': 21_600, '1d': 86_400 } as const
type Interval = keyof typeof INTERVAL_SECONDS

const machineId = Id.describe('The machine that the readings belong to.')
const metricName = z.string().describe('What was measured, as `metric_name` of the readings.')
const unit = z.string().describe('The unit that the values were sent in.')

const LatestReading = z
  .object({
    timestamp: Instant.describe('When the value was measured.'),
    value: z.number().describe('The value, in `unit`.'),
    unit,
    raw_tag: z.string().nullable().describe('The tag name at the source; null when the sender gave none.'),
  })
  .openapi({
    example: {
      timestamp: '2026-01-31T12:00:00.000Z',
      value: 61.5,
      unit: 'celsius',
      raw_tag: 'nsu=urn:acme:press;s=Press.OilTemp',
    },
  })
export const LatestResponse = z
  .object({
    machine_id: machineId,
    readings: z.record(z.string(), LatestReading).describe('The newest reading of each metric, by metric name.'),
  })
  .openapi('LatestReadings', {
    example: {
      readings: {
        oil_temperature: {
          timestamp: '2026-01-31T12:00:00.000Z',
          value: 61.5,
          unit: 'celsius',
          raw_tag: 'nsu=urn:acme:press;s=Press.OilTemp',
        },
      },
    },
  })

export const ReadingsQuery = z.object({
  start: rangeEnd('start').optional().describe('Only from this date or datetime on. Without it: the 24 hours before `end`.'),
  end: rangeEnd('end')
    .optional()
    .describe('Only up to this date or datetime, inclusive. Without it: now. At most 90 days after `start`.'),
  metric: z.string().max(255, 'must have at most 255 characters').optional().openapi({
    description: 'Only this metric, in all its units. An unknown metric returns an empty list.',
    example: 'oil_temperature',
  }),
  interval: z
    .enum(Object.keys(INTERVAL_SECONDS) as [Interval, ...Interval[]])
    .optional()
    .openapi({ description: 'Returns the mean of each bucket of this length instead of raw readings.', example: '1h' }),
  timezone: Timezone.optional().openapi({
    description:
      'CSV only: an IANA time zone such as `Europe/Berlin`. Times are then local, written as spreadsheets read them: `2026-01-31 12:00:00.000`.',
  }),
  bom: QueryBoolean.optional().openapi({ description: 'CSV only: `true` begins the file with a byte order mark, for Excel.' }),
})

export const SeriesResponse = z
  .object({
    metric_name: metricName,
    unit,
    data_points: z
      .array(
        z.object({
          timestamp: Instant.describe(
            'When the value was measured; with `interval` the start of the bucket, perhaps before `start`.',
          ),
          value: z.number().describe('The value, in `unit`; with `interval` the mean of the bucket.'),
        }),
      )
      .describe('Ascending by time.'),
  })
  .openapi('ReadingSeries', {
    example: {
      metric_name: 'oil_temperature',
      unit: 'celsius',
      data_points: [{ timestamp: '2026-01-31T12:00:00.000Z', value: 61.5 }],
    },
  })

/** Series that one request reads together. */
const MAX_SERIES = 8
const ID_LENGTH = 36
const SeriesName = z
  .string()
  .regex(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}:.{1,255}$/is, {
    error: 'must be the id of a machine, a colon and the name of a metric of at most 255 characters',
  })
  .transform((value) => ({ machineId: value.slice(0, ID_LENGTH).toLowerCase(), metric: value.slice(ID_LENGTH + 1) }))

/** Commas separate series, and a metric may have some in its name: what begins with no machine goes on with the name before it. */
function withWholeNames(parts: readonly string[]): string[] {
  const names: string[] = []
  for (const part of parts) {
    if (names.length === 0 || /^[0-9a-f-]{36}:/i.test(part)) names.push(part)
    else names.push(`${names.pop()},${part}`)
  }
  return names
}

export const SeriesListQuery = z.object({
  series: z
    .array(z.string())
    .transform(withWholeNames)
    .pipe(z.array(SeriesName).max(MAX_SERIES, `may name at most ${MAX_SERIES} series`))
    .openapi({
      type: 'array',
      items: { type: 'string' },
      maxItems: MAX_SERIES,
      description: `The series, at most ${MAX_SERIES}, each as \`machine_id:metric\`: the parameter repeated, or one value with commas. A metric comes in all its units.`,
      example: [`${exampleId('machine_id')}:oil_temperature`],
    }),
  ...ReadingsQuery.pick({ start: true, end: true, interval: true }).shape,
})

export const MachineSeriesResponse = z
  .object({ machine_id: machineId, ...SeriesResponse.shape })
  .openapi('MachineReadingSeries', {
    example: {
      metric_name: 'oil_temperature',
      unit: 'celsius',
      data_points: [{ timestamp: '2026-01-31T12:00:00.000Z', value: 61.5 }],
    },
  })

const Percent = z.number().min(0).max(100)
const lost = 'Readings that agents report as lost in the range. A gap that reaches beyond it counts with the share inside.'
export const SummaryResponse = z
  .object({
    machine_id: machineId,
    start: Instant.describe('The begin of the range.'),
    end: Instant.describe('The end of the range.'),
    completeness_percent: Percent.describe(
      'Of all metrics: readings stored, in percent of those stored and those that agents report as lost. Cut off to two decimals.',
    ),
    metrics: z
      .array(
        z.object({
          metric_name: metricName,
          unit,
          min_value: z.number().describe('The smallest value in the range.'),
          max_value: z.number().describe('The largest value in the range.'),
          avg_value: z.number().describe('The mean of the readings in the range, each with the same weight.'),
          latest_value: z.number().describe('The newest value in the range.'),
          latest_timestamp: Instant.describe('When the newest value was measured.'),
          sample_count: z.int().describe('Readings stored in the range.'),
          lost_count: z.int().describe(lost),
          completeness_percent: Percent.describe(
            'Readings stored, in percent of those stored and lost. 100 only when nothing was lost.',
          ),
        }),
      )
      .describe('One entry for each metric and unit with readings in the range.'),
  })
  .openapi('MachineSummary', {
    example: {
      start: '2026-01-30T12:00:00.000Z',
      end: '2026-01-31T12:00:00.000Z',
      completeness_percent: 100,
      metrics: [
        {
          metric_name: 'oil_temperature',
          unit: 'celsius',
          min_value: 58.2,
          max_value: 64.1,
          avg_value: 61.3,
          latest_value: 61.5,
          latest_timestamp: '2026-01-31T12:00:00.000Z',
          sample_count: 1_440,
          lost_count: 0,
          completeness_percent: 100,
        },
      ],
    },
  })
