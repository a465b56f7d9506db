import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { apiQuery } from '../../api/client.ts'
import { useFormat } from '../../i18n/format.tsx'
import { Button } from '../../kit/button.tsx'
import { type Suggestion, useReasonText, useSuggestions } from './suggestion-reason.ts'

/** What the hub suggests for a metric, or why it suggests nothing. */
export function SuggestionNote({
  metric,
  isReported,
  machineId,
  onUse,
}: {
  metric: string
  /** a machine has reported the metric */
  isReported: boolean
  /** the machine whose baselines explain why there is no suggestion; undefined: there is no machine */
  machineId: string | undefined
  onUse(suggestion: Suggestion): void
}) {
  const t = useTranslations('rules')
  const format = useFormat()
  const reasonText = useReasonText()
  const { data } = useSuggestions()
  const found = data?.suggestions.find(({ metric_name }) => metric_name === metric)
  const { data: baselines } = useQuery({
    ...apiQuery('/machines/{machine_id}/baselines', { params: { path: { machine_id: machineId ?? '' } } }),
    enabled: machineId !== undefined && data !== undefined && !found,
  })
  if (metric === '' || !data) return null
  if (!found) {
    const isConstant = baselines?.some(({ metric_name, std_dev }) => metric_name === metric && std_dev === 0)
    return <p className="text-sm text-soft">{t(isConstant ? 'noneConstant' : isReported ? 'noneTooFew' : 'noneUnreported')}</p>
  }
  const values = {
    warning: format.value(found.suggested_warning, found.unit),
    critical: format.value(found.suggested_critical, found.unit),
  }
  return (
    <div className="flex flex-wrap items-start justify-between gap-2 text-sm text-soft">
      <p className="min-w-0 flex-1 basis-80">
        <strong className="font-medium">{t('suggested', values)}</strong> {reasonText(found)}
      </p>
      <Button look="quiet" onPress={() => onUse(found)}>
        {t('useThese')}
      </Button>
    </div>
  )
}
