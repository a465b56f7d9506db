import { z } from 'zod'
import { type CollectorContract, limitFaults, stampFaults, stampShape, tagShape } from '../contract.ts'
import { TimestampFormat, TimeZone } from '../timestamps.ts'

const FORMATS = ['csv', 'json_lines', 'json'] as const
const name = z.string().min(1).max(255)

/** A column of CSV by its name, or its number from 1 where there is no header; a key of JSON, or the way to it: `data.oil.temperature`. */
const FieldName = z.union([name, z.int().min(1).max(10_000)]).transform(String)

const Field = z.object({
  field: FieldName,
  /** only records in which these fields hold these texts: for files with one value a line */
  where: z.record(name, z.string().max(255)).optional(),
  ...tagShape,
})

const Timestamp = z.strictObject({
  /** several are joined by a space: a date and a time */
  field: z.union([FieldName, z.array(FieldName).min(1).max(3)]).transform((given) => (Array.isArray(given) ? given : [given])),
  format: TimestampFormat,
  time_zone: TimeZone,
})

/** Settings of a collector of CSV and JSON files. */
export const FileConfig = z.object({
  /** a file, or a pattern such as `/data/press/*.csv` */
  path: z
    .string()
    .max(1_000)
    .regex(/^\//, 'must be an absolute path such as /data/press/*.csv')
    .refine((path) => !path.includes('**'), 'must not hold **: name the folders'),
  format: z.enum(FORMATS).default('csv'),
  encoding: z.enum(['utf-8', 'windows-1252', 'utf-16le', 'utf-16be']).default('utf-8'),
  delimiter: z
    .string()
    .regex(/^[^"\r\n\w ]$/, 'must be one character such as , or ; or "\\t"')
    .default(','),
  decimal: z.enum(['.', ',']).default('.'),
  thousands: z.enum(['.', ',', ' ', "'"]).optional(),
  header: z.boolean().default(true),
  skip_lines: z.int().min(0).max(1_000).default(0),
  /** of JSON: where its records are, such as `samples`; empty: the value itself */
  records: z.string().max(255).default(''),
  timestamp: Timestamp.optional(),
  ...stampShape('no server sets the timestamps of a file'),
  start: z.enum(['beginning', 'end']).default('beginning'),
  last_line_after_seconds: z.number().min(0).max(86_400).default(0),
  fields: z.array(Field).max(1_000).default([]),
})
export type FileConfig = z.infer<typeof FileConfig>

export const fileContract = {
  label: 'CSV and JSON files',
  defaultPort: null,
  config: FileConfig,
  tagList: 'fields',
  fileShape: { ...FileConfig.shape, fields: Field.strict().array().min(1).max(1_000) },
  configFaults: ({ format, header, fields, timestamp, timestamps, decimal, thousands, delimiter }) => {
    const faults = [...limitFaults('fields', fields), ...stampFaults({ timestamp, timestamps })]
    const named = [
      ...fields.map(({ field, where = {} }, i) => ({ path: `fields.${i}.field`, names: [field, ...Object.keys(where)] })),
      ...(timestamp ? [{ path: 'timestamp.field', names: timestamp.field }] : []),
    ]
    if (format === 'csv' && !header)
      for (const { path, names } of named)
        if (names.some((field) => !/^\d+$/.test(field)))
          faults.push({ path, message: 'must be the number of a column, from 1, because header is false' })
    if (format === 'csv' && decimal === ',' && delimiter === ',')
      faults.push({ path: 'delimiter', message: 'must not be a comma where decimal is one' })
    if (thousands === decimal) faults.push({ path: 'thousands', message: 'must not be what decimal is' })
    return faults
  },
  machineProtocol: 'csv',
  inBundle: ({ format, encoding, delimiter, decimal, thousands, header, start, timestamp, timestamps }) => ({
    format,
    encoding,
    delimiter,
    decimal,
    thousands: thousands ?? null,
    header,
    start,
    timestamp_format: timestamp?.format ?? null,
    timestamps: timestamps ?? null,
  }),
  namesOf: ({ path, records, fields, timestamp }) => [
    path,
    records,
    ...fields.flatMap(({ field, where = {} }) => [field, ...Object.entries(where).flat()]),
    ...(timestamp?.field ?? []),
  ],
} as const satisfies CollectorContract<'fields', FileConfig>
