import type { Format } from '../../i18n/create-format.ts'
import { wallMilliseconds } from '../../i18n/wall-time.ts'
import { csvLines } from '../../kit/csv.ts'
import type { Range, Series } from './series.ts'

/**
 * What the charts show as CSV: a line for each instant and a column for each series, in the units and the time zone of the user.
 * Empty where a series has no reading.
 */
export function seriesCsv(series: readonly Series[], { from, to }: Range, format: Format): string {
  const rows = new Map<number, (number | null)[]>()
  series.forEach((one, column) => {
    const convert = format.converter(one.unit)
    one.times.forEach((at, index) => {
      const value = one.values[index]
      if (value === null || value === undefined || at * 1000 < from || at * 1000 > to) return
      const row = rows.get(at) ?? series.map(() => null)
      row[column] = convert(value)
      rows.set(at, row)
    })
  })
  const head = series.map((one) => `${one.metric} (${format.unitLabel(one.unit)})`)
  const lines = [...rows]
    .toSorted(([a], [b]) => a - b)
    .map(([at, values]) => [wallMilliseconds(at * 1000, format.timeZone).replace('T', ' '), ...values])
  return csvLines([[`time (${format.timeZone})`, ...head], ...lines])
}
