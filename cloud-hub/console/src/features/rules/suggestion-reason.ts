import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { apiQuery, type Schemas } from '../../api/client.ts'
import { useFormat } from '../../i18n/format.tsx'

const STALE_MS = 5 * 60_000

export type Suggestion = Schemas['RuleSuggestions']['suggestions'][number]

/** Suggested thresholds. */
export const useSuggestions = () => useQuery({ ...apiQuery('/alert-rules/suggestions'), staleTime: STALE_MS })

/** What a suggestion was computed from, in the reader's language and units. */
export function useReasonText(): (suggestion: Suggestion) => string {
  const t = useTranslations('rules')
  const format = useFormat()
  return ({ basis, unit }) =>
    t('suggestedBy', {
      readings: format.count(basis.reading_count),
      machines: basis.machine_count,
      usual: format.value(basis.median, unit),
      spread: format.spread(basis.deviation, unit),
      side: basis.is_high ? 'above' : 'below',
    })
}
