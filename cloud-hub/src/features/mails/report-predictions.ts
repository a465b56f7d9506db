import type { MailTable } from '../../support/mail-layout.ts'
import type { ReportedPredictions } from './mail-params.ts'
import type { reportWriter } from './report-writer.ts'

/** What a language calls the figures of predictions. */
export interface PredictionWords {
  title: (count: number, shown: number) => string
  columns: readonly [machine: string, location: string, risk: string, score: string, maintenance: string, failure: string]
  risks: Record<ReportedPredictions['machines'][number]['risk'], string>
  none: string
}

/** The table of machines at risk; none where a mail lacks these figures. */
export function predictionTables(
  predictions: ReportedPredictions | undefined,
  { number }: Pick<ReturnType<typeof reportWriter>, 'number'>,
  words: PredictionWords,
): MailTable[] {
  if (!predictions) return []
  const { count, machines } = predictions
  const days = (value: number | null) => (value === null ? '–' : number(Math.round(value * 10) / 10))
  const [machine, location, risk, ...figures] = words.columns
  return [
    {
      title: words.title(count, machines.length),
      columns: [
        { name: machine, share: 4, isTitle: true },
        { name: location, share: 3 },
        { name: risk, share: 2 },
        ...figures.map((name) => ({ name, share: 2, isNumber: true as const })),
      ],
      rows: machines.map((one) => [
        one.name,
        one.location ?? '',
        words.risks[one.risk],
        number(one.healthScore),
        days(one.daysToMaintenance),
        days(one.daysToFailure),
      ]),
      none: words.none,
    },
  ]
}
