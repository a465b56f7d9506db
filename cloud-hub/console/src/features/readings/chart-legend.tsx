import { useTranslations } from 'use-intl'

/** What the colours behind the lines mean. @param props `withData` false: of a chart without notes, losses and baselines */
export function ChartLegend({ withData = true }: { withData?: boolean }) {
  const t = useTranslations('charts.legend')
  const entries = [
    ['downtime', 'bg-critical/30'],
    ['maintenance', 'bg-info/30'],
    ...(withData
      ? ([
          ['note', 'border-b-4 border-brand bg-brand/10'],
          ['loss', 'bg-offline/30'],
          ['baseline', 'bg-healthy/25'],
        ] as const)
      : []),
  ] as const
  return (
    <ul className="flex flex-wrap gap-x-5 gap-y-1 text-sm text-soft">
      {entries.map(([name, look]) => (
        <li key={name} className="flex items-center gap-1.5">
          <span className={`h-3 w-5 rounded-sm ${look}`} />
          {t(name)}
        </li>
      ))}
      <li className="flex items-center gap-1.5">
        <span className="h-3 w-5 rounded-sm bg-linear-to-b from-critical/30 to-warning/30" />
        {t('zones')}
      </li>
      <li className="flex items-center gap-1.5">
        <svg viewBox="0 0 12 14" className="h-3.5 w-3 text-critical" aria-hidden="true">
          <path d="M1 0v14h1V8l9-4-9-4z" fill="currentColor" />
        </svg>
        {t('flags')}
      </li>
    </ul>
  )
}
