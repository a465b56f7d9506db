import { unitSymbol } from '@haltless/protocol'
import type { Figure } from '../../support/mail-layout.ts'
import type { ReportParams } from './mail-params.ts'

/** Formats times and numbers of a report in its reader's locale and time zone. */
export function reportWriter({ locale, timeZone, start, end }: ReportParams) {
  const dates = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone })
  const moments = new Intl.DateTimeFormat(locale, {
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    timeZone,
  })
  // Four significant digits; integers in full, because counts are exact.
  const numbers = new Intl.NumberFormat(locale, {
    maximumSignificantDigits: 4,
    maximumFractionDigits: 0,
    roundingPriority: 'morePrecision',
  })
  const powers = new Intl.NumberFormat(locale, { notation: 'scientific', maximumSignificantDigits: 4 })
  const [first, last] = [new Date(start), new Date(Date.parse(end) - 1)]
  /** Scientific notation for extreme values: their digits would be cut off and mislead. */
  const number = (value: number) => {
    const size = Math.abs(value)
    return (size >= 1e9 || (size < 1e-4 && size > 0) ? powers : numbers).format(value)
  }
  return {
    /** `2 Feb 2026`, or `2 – 8 Feb 2026` */
    range: plain(dates.formatRange(first, last)),
    /** its first day in the reader's time zone: `2026-02-02` */
    startDay: new Intl.DateTimeFormat('en-CA', { timeZone }).format(first),
    moment: (instant: string) => plain(moments.format(new Date(instant))),
    number,
    value: (value: number | undefined, unit: string) =>
      value === undefined ? '' : [number(value), unitSymbol(unit)].filter(Boolean).join(' '),
    duration: (seconds: number | undefined) => (seconds === undefined ? '' : duration(seconds, number)),
    /** `+12`, `-3` or `±0` */
    difference: (now: number, then: number) => (now === then ? '±0' : `${now > then ? '+' : '-'}${number(Math.abs(now - then))}`),
    figure: (label: string, value: number, tone: Figure['tone']): Figure => ({
      label,
      value: number(value),
      tone: value === 0 ? 'plain' : tone,
    }),
  }
}

/** A duration in its largest suitable unit: `45 s`, `12 min`, `3.5 h`, `2.1 d`. */
function duration(seconds: number, number: (value: number) => string): string {
  const tenths = (value: number) => number(Math.round(value * 10) / 10)
  if (seconds < 90) return `${number(Math.round(seconds))} s`
  if (seconds < 5_400) return `${number(Math.round(seconds / 60))} min`
  return seconds < 172_800 ? `${tenths(seconds / 3_600)} h` : `${tenths(seconds / 86_400)} d`
}

/** Replaces narrow spaces of locales, which few fonts contain. */
const plain = (text: string) => text.replace(/[\u2009\u202f\u00a0]/g, ' ')
