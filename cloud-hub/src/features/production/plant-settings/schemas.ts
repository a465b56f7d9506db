import { RowFaults } from '../../../support/http/field-error.ts'
import { RecordVersion } from '../../../support/http/record-version.ts'
import { CalendarDate, Id, Timezone, text } from '../../../support/http/shapes.ts'
import { invalid } from '../../../support/http/validation-message.ts'
import { z } from '../../../support/http/z.ts'

/** Maximum per tenant, because one answer lists all of them. */
/** Of a tenant: those of all its sites. */
export const MAX_DAYS = 10_000

const zoneText =
  'The IANA time zone of the plant, such as `Europe/Berlin`; series of maintenance recur, and shifts start and end, in its local time, save for machines of a site that has a zone of its own. UTC until one is set.'
const daysText =
  'Holidays and other days without planned production, by date: no shift log starts automatically, and without shift logs no production counts as planned.'
const autoText =
  'Whether the hub starts and completes shift logs by the shift definitions, for each active machine that has no active log.'

const siteText = 'The site that has this day, a machine group of type `site`; null: all sites.'

const day = {
  date: CalendarDate.describe('The day, in the local time of the site or of the plant.'),
  name: text(200).describe('Its name, such as that of the holiday.'),
}
const dayExample = { date: '2026-12-25', name: 'Christmas Day', group_id: null }
const Day = z.object({ ...day, group_id: Id.nullable().describe(siteText) }).openapi('NonProductionDay', { example: dayExample })
const DayGiven = z
  .object({ ...day, group_id: Id.nullable().optional().describe(`${siteText} Null by default.`) })
  .openapi('NonProductionDayGiven', { example: dayExample })

const example = { time_zone: 'Europe/Berlin', non_production_days: [dayExample] }

export const PlantQuery = z.object({
  group_id: Id.optional().describe(
    'Only days that hold for this site or for a group inside it: its own and those of all sites. None for an unknown group.',
  ),
})
export const ImportQuery = z.object({
  group_id: Id.optional().describe('The site that gets the days; without it they are of all sites.'),
})

export const PlantSettings = z
  .object({
    time_zone: z.string().describe(zoneText),
    non_production_days: z.array(Day).describe(daysText),
    auto_shift_logs: z.boolean().describe(autoText),
    version: RecordVersion,
  })
  .openapi('PlantSettings', { example: { ...example, auto_shift_logs: false } })

export const PlantSettingsPatch = z
  .object({
    time_zone: Timezone.optional().describe(zoneText),
    non_production_days: z
      .array(DayGiven)
      .max(MAX_DAYS, `must hold at most ${MAX_DAYS} days`)
      .refine(
        (days) => new Set(days.map(({ date, group_id }) => `${date} ${group_id ?? ''}`)).size === days.length,
        invalid('duplicate_date'),
      )
      .optional()
      .describe(
        `${daysText} Replaces all days, also those of sites; where no entry names a group_id, only days of all sites. At most 10,000.`,
      ),
    auto_shift_logs: z.boolean().optional().describe(autoText),
  })
  .openapi('PlantSettingsPatch', { example })

export const DaysImported = z
  .object({
    total_rows: z.int().describe('Rows of the CSV file, or events of the calendar.'),
    success_count: z.int().describe('Rows or events that were imported.'),
    failed_count: z.int().describe('Rows or events that were not.'),
    errors: z
      .array(
        z.object({
          row: z.int().describe('The line of the file, from 1; of an event where it begins.'),
          reason: z.string().describe('Why it was not imported.'),
          faults: RowFaults,
        }),
      )
      .describe('What was not imported, in the order of the file.'),
  })
  .openapi('NonProductionDaysImported', { example: { total_rows: 1, success_count: 1, failed_count: 0, errors: [] } })
