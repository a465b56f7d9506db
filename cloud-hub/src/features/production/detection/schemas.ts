import { DETECTION_SIGNALS } from '../../../db/enums.ts'
import { RecordVersion } from '../../../support/http/record-version.ts'
import { FiniteNumber, Id, Instant, text } from '../../../support/http/shapes.ts'
import { z } from '../../../support/http/z.ts'

const SIGNALS =
  '`state`: the metric has one of `stopped_values` while the machine is stopped. `level`: it lies below `limit`, for example a speed. `count`: it counts parts and grows by less than `limit` in `for_seconds`. `silence`: the machine sends no readings for `silent_after_seconds`.'
const MAX_VALUES = 50
const DAY = 86_400

export const DetectionPut = z
  .object({
    is_active: z
      .boolean()
      .describe('Whether the hub detects downtime; true when detection is first set. Readings from before are not evaluated.'),
    signal: z.enum(DETECTION_SIGNALS).describe(`What shows that the machine is stopped; required at first. ${SIGNALS}`),
    metric_name: text(100).nullable().describe('The metric of the signal; required for all signals but `silence`.'),
    unit: text(50).nullable().describe('The unit of the metric; null: that of its newest reading.'),
    stopped_values: z
      .array(FiniteNumber)
      .min(1, 'must hold at least one value')
      .max(MAX_VALUES, `must hold at most ${MAX_VALUES} values`)
      .nullable()
      .describe('The values of a `state` that say stopped, 1 to 50.'),
    limit: FiniteNumber.nullable().describe('The limit of a `level` or `count`; of a count above 0.'),
    for_seconds: z
      .int()
      .min(0, 'must be at least 0')
      .max(DAY, 'must be at most 86400')
      .describe(
        'A shorter stop is not recorded, 0 to 86,400; 0 unless given, for `level` and `count` 60. Of a count at least twice its polling interval.',
      ),
    silent_after_seconds: z
      .int()
      .min(30, 'must be at least 30')
      .max(7 * DAY, 'must be at most 604800')
      .nullable()
      .describe(
        'A gap of this many seconds between readings of the signal is downtime too, 30 to 604,800; required for `silence`, else null: gaps are none.',
      ),
    reason_code_id: Id.nullable().describe(
      'The reason code of new records; null, or a code that was retired since: none, and type `unplanned`.',
    ),
  })
  .partial()
  .openapi('DowntimeDetectionPut', {
    example: { signal: 'level', metric_name: 'temperature', limit: 20, for_seconds: 60, silent_after_seconds: 900 },
  })

export const DetectionBody = z
  .object({
    machine_id: Id.describe('The machine.'),
    is_active: z.boolean().describe('Whether the hub detects downtime of the machine.'),
    signal: z
      .enum(DETECTION_SIGNALS)
      .nullable()
      .describe(`What shows that the machine is stopped; null before it is first set. ${SIGNALS}`),
    metric_name: z.string().nullable().describe('The metric of the signal.'),
    unit: z.string().nullable().describe('The unit of the metric; null: that of its newest reading.'),
    stopped_values: z.array(z.number()).nullable().describe('The values of a state that say stopped.'),
    limit: z.number().nullable().describe('The limit of a level or count.'),
    for_seconds: z.int().describe('A shorter stop is not recorded.'),
    silent_after_seconds: z.int().nullable().describe('A gap this long is downtime too; null: gaps are none.'),
    reason_code_id: Id.nullable().describe('The reason code of new records.'),
    active_since: Instant.nullable().describe('Readings from before are not evaluated; null before detection is first set.'),
    ongoing_record_id: Id.nullable().describe('The ongoing downtime record that detection opened; null: none.'),
    updated_at: Instant.nullable().describe('When a person last changed these settings; null: never.'),
    version: RecordVersion,
  })
  .openapi('DowntimeDetection', {
    example: {
      machine_id: '0198c5d2-7a3e-7cc0-8a35-0f6d3c7b1a2e',
      is_active: true,
      signal: 'level',
      metric_name: 'temperature',
      unit: null,
      stopped_values: null,
      limit: 20,
      for_seconds: 60,
      silent_after_seconds: 900,
      reason_code_id: null,
      active_since: '2026-01-31T12:00:00.000Z',
      ongoing_record_id: null,
      updated_at: '2026-01-31T12:00:00.000Z',
    },
  })
