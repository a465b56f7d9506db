import type { Figure } from './kit.ts'
import type { ReportParams } from './templates.ts'

/** How a report writes instants and numbers, in its reader's locale and time zone. */
export function reportWriter({ locale, timeZone, start, end }: ReportParams) {
  const dates = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone })
  const moments = new Intl.DateTimeFormat(locale, {
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    timeZone,
  })
  // six digits, and whole ones always: what is counted is told exactly
  const numbers = new Intl.NumberFormat(locale, {
    maximumSignificantDigits: 6,
    maximumFractionDigits: 0,
    roundingPriority: 'morePrecision',
  })
  const powers = new Intl.NumberFormat(locale, { notation: 'scientific', maximumSignificantDigits: 6 })
  const [first, last] = [new Date(start), new Date(Date.parse(end) - 1)]
  /** Written out, the largest and smallest would be rows of digits that are cut short and then say something else. */
  const number = (value: number) => {
    const size = Math.abs(value)
    return (size >= 1e9 || (size < 1e-4 && size > 0) ? powers : numbers).format(value)
  }
  return {
    /** `2 Feb 2026`, or `2 – 8 Feb 2026` */
    range: plain(dates.formatRange(first, last)),
    moment: (instant: string) => plain(moments.format(new Date(instant))),
    number,
    figure: (label: string, value: number, tone: Figure['tone']): Figure => ({
      label,
      value: number(value),
      tone: value === 0 ? 'plain' : tone,
    }),
  }
}

/** Locales use narrow spaces that few fonts have. */
const plain = (text: string) => text.replace(/[\u2009\u202f\u00a0]/g, ' ')
