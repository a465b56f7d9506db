import { csvField } from '../../../support/http/csv.ts'
import { isoTimes } from './iso-time.ts'
import type { SeriesChunk } from './read-series.ts'

/** Options of a CSV table of readings. */
export interface CsvOptions {
  /** IANA time zone of the times, in the format of spreadsheets; undefined: ISO 8601 in UTC */
  timeZone: string | undefined
  /** starts with a byte order mark, by which Excel detects UTF-8 */
  hasMark: boolean
  fileName: string
}

export const csvHead = ({ hasMark }: CsvOptions): string => `${hasMark ? '\ufeff' : ''}timestamp,metric_name,unit,value\r\n`

/** Formats chunks as lines. */
export function csvWriter({ timeZone }: CsvOptions): (chunk: SeriesChunk) => string {
  const time = timeZone === undefined ? isoTimes() : spreadsheetTime(timeZone)
  return ({ series, times, values }) => {
    const name = `${csvField(series.metric)},${csvField(series.unit)}`
    let text = ''
    for (const [i, at] of times.entries()) text += `${time(at)},${name},${values[i]}\r\n`
    return text
  }
}

/** Since 1972 zones change only at full quarters of an hour (IANA time zone database, "Theory and pragmatics"). */
const QUARTER_MS = 900_000

/**
 * Formats `2026-01-31 12:00:00.000` in a time zone. The hour that the end of daylight saving repeats appears twice.
 * @returns a function of Unix ms, which calls Intl once per quarter of an hour and not per row
 */
function spreadsheetTime(timeZone: string): (at: number) => string {
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
  const time = isoTimes()
  let [quarter, offsetMs] = [Number.NaN, 0]
  return (at) => {
    const current = Math.floor(at / QUARTER_MS)
    if (current !== quarter) [quarter, offsetMs] = [current, offsetOf(format, current * QUARTER_MS)]
    return time(at + offsetMs)
      .replace('T', ' ')
      .slice(0, -1)
  }
}

/** Converts `GMT+05:30` to milliseconds; `GMT` alone is 0. */
function offsetOf(format: Intl.DateTimeFormat, at: number): number {
  const name = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const [, sign, hours = 0, minutes = 0, seconds = 0] = /([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(name) ?? []
  const size = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000
  return sign === '-' ? -size : size
}
