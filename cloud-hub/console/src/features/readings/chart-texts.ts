import type uPlot from 'uplot'
import type { Format } from '../../i18n/create-format.ts'
import { wallTime } from '../../i18n/wall-time.ts'
import type { Series } from './series.ts'

/** Such as "14:03:00: Noise 82 dB, Vibration 3 dB". */
export function readingsAt(
  plot: uPlot,
  index: number,
  series: readonly Series[],
  format: Format,
  text: (value: number | null | undefined) => string,
): string {
  const values = series.map(({ metric }, at) => `${format.metric(metric)} ${text(plot.data[at + 1]?.[index])}`)
  return `${format.seconds(new Date((plot.data[0][index] ?? 0) * 1000))}: ${values.join(', ')}`
}

/** The newest value; null without any. */
export function lastOf(values: ArrayLike<number | null | undefined> | undefined): number | null | undefined {
  for (let at = (values?.length ?? 0) - 1; at >= 0; at--)
    if (values?.[at] !== null && values?.[at] !== undefined) return values[at]
  return null
}

/** From here on, labels are of different years. */
const LONG_STEP_SECONDS = 90 * 86_400

/** The date on axes of days, hours and minutes below it, seconds where the range is short. */
export function axisTime(at: number, step: number, format: Format): string {
  const date = new Date(at * 1000)
  if (step >= LONG_STEP_SECONDS) return format.date(date)
  // among hours, midnight says which day begins
  const isMidnight = step >= 3_600 && wallTime(date, format.timeZone).endsWith('T00:00')
  if (step >= 86_400 || isMidnight) return format.dayMonth(date)
  return step < 60 ? format.clock(date) : format.time(date)
}
