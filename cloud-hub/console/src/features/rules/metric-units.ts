import { useQuery } from '@tanstack/react-query'
import { apiQuery } from '../../api/client.ts'

/** Suggested thresholds. Their reasons are read in English, from which the page words them with the reader's units. */
export const useSuggestions = () =>
  useQuery({ ...apiQuery('/alert-rules/suggestions', { params: { query: { language: 'en' } } }), staleTime: 5 * 60_000 })

/** The unit of a metric, as rules compare with it; undefined where machines report none or several. */
export function useMetricUnit(): (metric: string) => string | undefined {
  const { data } = useSuggestions()
  return (metric) => {
    const units = new Set(data?.suggestions.flatMap((it) => (it.metric_name === metric ? [it.unit] : [])))
    return units.size === 1 ? [...units][0] : undefined
  }
}

const REASON =
  /days ([\d,]+) readings of (?:one machine|([\d,]+) machines) were usually (\S+) .*, give or take (\S+)\. Warning is 3 standard deviations (above|below)/

/** What a suggestion was computed from; null for a sentence of another form. */
export function figuresOf(reason: string) {
  const [, readings, machines, usual, spread, side] = REASON.exec(reason) ?? []
  if (!side) return null
  const number = (text = '1') => Number(text.replaceAll(',', ''))
  return { readings: number(readings), machines: number(machines), usual: number(usual), spread: number(spread), side }
}
