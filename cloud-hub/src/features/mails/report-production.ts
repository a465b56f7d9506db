import type { MailTable } from '../../support/mail-layout.ts'
import type { ReportedProduction } from './mail-params.ts'
import type { reportWriter } from './report-writer.ts'

/** What a language calls the figures of production. */
export interface ProductionWords {
  summary: (hours: string, records: string, overdue: string) => string
  mostDowntime: string
  downtimeColumns: readonly [machine: string, location: string, stops: string, hours: string]
  shifts: string
  shiftColumns: readonly [shift: string, logs: string, oee: string, availability: string, performance: string, quality: string]
  overdue: (count: number, shown: number) => string
  overdueColumns: readonly [title: string, machine: string, priority: string, due: string]
  priorities: Record<ReportedProduction['overdue']['orders'][number]['priority'], string>
  none: string
}

/** The sentence and the tables about production; none where a mail lacks these figures. */
export function productionParts(
  production: ReportedProduction | undefined,
  { number, moment }: Pick<ReturnType<typeof reportWriter>, 'number' | 'moment'>,
  words: ProductionWords,
): { paragraphs: string[]; tables: MailTable[] } {
  if (!production) return { paragraphs: [], tables: [] }
  const { downtime, shifts, overdue } = production
  const tenths = (value: number) => number(Math.round(value * 10) / 10)
  const percent = (value: number | null) => (value === null ? '–' : `${tenths(value)} %`)
  const [machine, location, stops, hours] = words.downtimeColumns
  const [shift, logs, ...ratios] = words.shiftColumns
  const [title, ofMachine, priority, due] = words.overdueColumns
  return {
    paragraphs: [words.summary(tenths(downtime.hours), number(downtime.records), number(overdue.count))],
    tables: [
      {
        title: words.mostDowntime,
        columns: [
          { name: machine, share: 5, isTitle: true },
          { name: location, share: 4 },
          { name: stops, share: 1.5, isNumber: true },
          { name: hours, share: 1.5, isNumber: true },
        ],
        rows: downtime.machines.map((one) => [one.name, one.location ?? '', number(one.records), tenths(one.hours)]),
        none: words.none,
      },
      {
        title: words.shifts,
        columns: [
          { name: shift, share: 4, isTitle: true },
          { name: logs, share: 1.6, isNumber: true },
          ...ratios.map((name) => ({ name, share: 2.2, isNumber: true as const })),
        ],
        rows: shifts.map((one) => [
          one.name,
          number(one.logs),
          ...[one.oee, one.availability, one.performance, one.quality].map(percent),
        ]),
        none: words.none,
      },
      {
        title: words.overdue(overdue.count, overdue.orders.length),
        columns: [
          { name: title, share: 5, isTitle: true },
          { name: ofMachine, share: 3.5 },
          { name: priority, share: 1.8 },
          { name: due, share: 2.4 },
        ],
        rows: overdue.orders.map((one) => [one.title, one.machine, words.priorities[one.priority], moment(one.dueAt)]),
        none: words.none,
      },
    ],
  }
}
