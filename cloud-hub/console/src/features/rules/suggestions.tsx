import { useTranslations } from 'use-intl'
import { useFormat } from '../../i18n/format.tsx'
import { Button } from '../../kit/button.tsx'
import { Empty, Panel } from '../../kit/layout.tsx'
import { Table } from '../../kit/table.tsx'
import { useReasonText, useSuggestions } from './suggestion-reason.ts'
import type { ThresholdDraft } from './threshold-dialog.tsx'

/** Thresholds from the readings of the last days, for metrics without a rule. */
export function Suggestions({ onChoose }: { onChoose: ((draft: ThresholdDraft) => void) | undefined }) {
  const t = useTranslations('rules')
  const format = useFormat()
  const reasonText = useReasonText()
  const { data } = useSuggestions()
  if (!data) return null
  const open = data.suggestions.filter(({ existing_rule_id }) => existing_rule_id === null)
  if (open.length === 0)
    return (
      <Panel title={t('suggestions')}>
        <Empty title={t(data.suggestions.length > 0 ? 'allHaveRules' : 'noSuggestions')}>
          {data.suggestions.length > 0 ? null : t('noSuggestionsText')}
        </Empty>
      </Panel>
    )
  return (
    <Panel title={t('suggestions')}>
      <Table label={t('suggestions')}>
        <thead>
          <tr>
            <th>{t('metric')}</th>
            <th className="text-right">{t('warning')}</th>
            <th className="text-right">{t('critical')}</th>
            <th>{t('reason')}</th>
            <th>
              <span className="sr-only">{t('use')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {open.map((it) => (
            <tr key={`${it.metric_name} ${it.unit}`}>
              <td className="font-medium">{format.metric(it.metric_name)}</td>
              <td className="tabular text-right whitespace-nowrap">{format.value(it.suggested_warning, it.unit)}</td>
              <td className="tabular text-right whitespace-nowrap">{format.value(it.suggested_critical, it.unit)}</td>
              <td>{reasonText(it)}</td>
              <td className="text-right">
                {onChoose ? (
                  <Button
                    look="quiet"
                    onPress={() =>
                      onChoose({
                        metric_name: it.metric_name,
                        warning_threshold: it.suggested_warning,
                        critical_threshold: it.suggested_critical,
                      })
                    }
                  >
                    {t('use')}
                  </Button>
                ) : null}
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
    </Panel>
  )
}
