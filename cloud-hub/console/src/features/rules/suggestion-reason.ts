import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { apiQuery, type Schemas } from '../../api/client.ts'
import { useFormat } from '../../i18n/format.tsx'

const STALE_MS = 5 * 60_000

export type Suggestion = Schemas['RuleSuggestions']['suggestions'][number]

/** Suggested thresholds. Their reasons are read in English, from which the page words them with the reader's units. */
export const useSuggestions = () =>
  useQuery({ ...apiQuery('/alert-rules/suggestions', { params: { query: { language: 'en' } } }), staleTime: STALE_MS })

const REASON =
  /days ([\d,]+) readings of (?:one machine|([\d,]+) machines) were usually (\S+) .*, give or take (\S+)\. Warning is 3 standard deviations (above|below)/

/** What a suggestion was computed from; null for a sentence of another form. */
export function figuresOf(reason: string) {
  const [, readings, machines, usual, spread, side] = REASON.exec(reason) ?? []
  if (!side) return null
  const number = (text = '1') => Number(text.replaceAll(',', ''))
  return { readings: number(readings), machines: number(machines), usual: number(usual), spread: number(spread), side }
}

/** What a suggestion was computed from, in the reader's language and units. */
export function useReasonText(): (suggestion: Suggestion) => string {
  const t = useTranslations('rules')
  const format = useFormat()
  return ({ reason, unit }) => {
    const found = figuresOf(reason)
    if (!found) return reason
    return t('suggestedBy', {
      readings: format.count(found.readings),
      machines: found.machines,
      usual: format.value(found.usual, unit),
      spread: format.spread(found.spread, unit),
      side: found.side as 'above',
    })
  }
}
