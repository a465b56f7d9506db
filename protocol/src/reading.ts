import { z } from 'zod'
import { SentInstant } from './instant.ts'

/** Limits of one reading, as the interface specification states them. */
export const READING_LIMITS = {
  readingsPerRequest: 1_000,
  machineIdentifierChars: 255,
  metricNameChars: 255,
  /** Ours; the specification names no limit for these two. */
  unitChars: 64,
  rawTagChars: 500,
  futureMs: 5 * 60_000,
  pastMs: 3_650 * 86_400_000,
} as const

/** Text that PostgreSQL can store: no NUL, no lone surrogate. */
export const isStorableText = (text: string): boolean => !text.includes('\0') && text.isWellFormed()

const text = (max: number) => z.string().min(1).max(max).refine(isStorableText, 'must not contain NUL or lone surrogates')

/**
 * One reading as JSON, the item of `POST /api/v1/ingest`. `timestamp` is a date-time of RFC 3339; what is below a millisecond is cut off.
 * The hub's ingest checks each item by hand into columns; this shape is for the document and for clients.
 */
export const IngestReading = z.object({
  machine_identifier: text(READING_LIMITS.machineIdentifierChars).describe('The `machine_identifier` of an active machine.'),
  timestamp: SentInstant.describe(
    'When the value was measured, by RFC 3339 with a zone (a second 60 is the next second); at most 5 minutes in the future and 3,650 days in the past.',
  ),
  metric_name: text(READING_LIMITS.metricNameChars).describe('What was measured, such as `oil_temperature`.'),
  value: z.number().describe('The value, a finite number in `unit`.'),
  unit: text(READING_LIMITS.unitChars).describe(
    'The unit label, such as `celsius`. Any text; `GET /units/supported` lists those that convert.',
  ),
  raw_tag: text(READING_LIMITS.rawTagChars)
    .nullish()
    .describe('The tag name at the source. A confirmed tag mapping for it replaces metric and unit.'),
  idempotency_key: z
    .guid()
    .nullish()
    .describe('A UUID of your own for this reading; sent again within at least 7 days it is stored once.'),
})
export type IngestReading = z.infer<typeof IngestReading>

/** What a reading belongs to. Within a tenant, (machine, metric, unit) is the identity of a series; the raw tag only tells where it came from. */
export interface Series {
  /** `machine_identifier`, 1-255 characters */
  readonly machine: string
  /** `metric_name`, 1-255 characters */
  readonly metric: string
  /** unit label such as `celsius`; the unit the value was measured in */
  readonly unit: string
  /** tag name at the source (an OPC UA node id, a Modbus register), or null */
  readonly rawTag: string | null
}

/** A named value on its way through the agent. Its identity within a tenant is (machine, metric, unit, timestamp). */
export interface Reading extends Series {
  /** Unix time in whole milliseconds, UTC */
  readonly timestamp: number
  /** finite */
  readonly value: number
}
