import { useTranslations } from 'use-intl'

/** What the colours behind the lines mean. */
export function ChartLegend() {
  const t = useTranslations('charts.legend')
  const entries = [
    ['downtime', 'bg-critical/30'],
    ['maintenance', 'bg-info/30'],
    ['loss', 'bg-offline/30'],
    ['baseline', 'bg-healthy/25'],
  ] as const
  return (
    <ul className="flex flex-wrap gap-x-5 gap-y-1 text-sm text-soft">
      {entries.map(([name, look]) => (
        <li key={name} className="flex items-center gap-1.5">
          <span className={`h-3 w-5 rounded-sm ${look}`} />
          {t(name)}
        </li>
      ))}
      <li>{t('lines')}</li>
    </ul>
  )
}
