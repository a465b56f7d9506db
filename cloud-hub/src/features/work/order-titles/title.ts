import { commonMetrics, LANGUAGES, type Language, metricLabel, stateWord, unitSymbol } from '@haltless/protocol'
import { SEVERITIES } from '../../../db/enums.ts'
import { containing } from '../../../db/like.ts'
import type { TransactionSql } from '../../../db/pools.ts'
import { displayValue, type FactsRow } from '../../alerting/alerts/index.ts'

/** A title is cut at 255 characters. One that is at least this long may be the begin of a longer sentence. */
const CUT = 200

/** The condition that the title of a work order `o` is the message of its alert `source`, unchanged. */
const isSentence = `source.tenant_id = o.tenant_id and source.id = o.alert_id and source.comparison is not null
  and (o.title = source.message or (length(o.title) >= ${CUT} and starts_with(source.message, o.title)))`

/** A column of `work_orders o`: the facts of the alert whose sentence is the title, as `titleFacts`; null: a person wrote the title. */
export const TITLE_FACTS = `(select json_build_object('severity', source.severity, 'metricName', source.metric_name, 'unit', source.unit,
    'triggerValue', source.trigger_value, 'thresholdValue', source.threshold_value, 'comparison', source.comparison, 'ruleName', source.rule_name)
  from alerts source where ${isSentence}) as "titleFacts"`

/** Finds a title by the words that a person reads in any language, metric and threshold: the stored sentence is English and names the metric as its machine does. */
export const readsLike = (sql: TransactionSql, search: string) => {
  const { severities, sides } = thresholdsLike(search)
  return sql`
  exists (select from alerts source where ${sql.unsafe(isSentence)}
    and (replace(source.metric_name, '_', ' ') ilike ${containing(search)} or source.metric_name = any(${metricsLike(search)}::text[])
      or source.rule_name is null and (source.severity = any(${severities}::text[]) or left(source.comparison, 1) = any(${sides}::text[]))))`
}

const metricsLike = (search: string): string[] => {
  const text = search.toLowerCase()
  return commonMetrics().filter((name) => LANGUAGES.some((language) => metricLabel(name, language).toLowerCase().includes(text)))
}

/** Severities and first characters of comparisons that are worded like this in a language. */
function thresholdsLike(search: string): { severities: string[]; sides: string[] } {
  const text = search.toLowerCase()
  const says = (word: (words: SentenceWords) => string) => LANGUAGES.some((it) => word(WORDS[it]).toLowerCase().includes(text))
  return {
    severities: SEVERITIES.filter((severity) => says(({ thresholds }) => thresholds[severity])),
    sides: [...(says(({ above }) => above) ? ['>'] : []), ...(says(({ below }) => below) ? ['<'] : [])],
  }
}

interface SentenceWords {
  above: string
  below: string
  thresholds: Record<FactsRow['severity'], string>
  crossed(machine: string, metric: string, value: string, side: string, threshold: string): string
  composite(machine: string, name: string, metric: string, value: string, limit: string): string
}

const WORDS: Record<Language, SentenceWords> = {
  en: {
    above: 'above the',
    below: 'below the',
    thresholds: { info: 'threshold of', warning: 'warning threshold of', critical: 'critical threshold of' },
    crossed: (machine, metric, value, side, threshold) => `${machine}: ${metric} is ${value}, ${side} ${threshold}.`,
    composite: (machine, name, metric, value, limit) => `${machine}: ${name} (${metric} is ${value}, ${limit}).`,
  },
  de: {
    above: 'über dem',
    below: 'unter dem',
    thresholds: { info: 'Grenzwert von', warning: 'Warngrenzwert von', critical: 'kritischen Grenzwert von' },
    crossed: (machine, metric, value, side, threshold) => `${machine}: ${metric} ist ${value}, ${side} ${threshold}.`,
    composite: (machine, name, metric, value, limit) => `${machine}: ${name} (${metric} ist ${value}, ${limit}).`,
  },
}

/** The title of a work order as a mail shows it: the sentence of its alert in the language of the reader, unless a person wrote the title. */
export function titleIn(
  language: Language,
  { title, titleFacts: facts, machineName }: { title: string; titleFacts: FactsRow | null; machineName: string },
): string {
  if (!facts?.comparison) return title
  const words = WORDS[language]
  // as the sentence of the alert: rounding moves no value across its threshold
  const numbers = new Intl.NumberFormat(language, { maximumSignificantDigits: 15 })
  const quantity = (value: number) => [numbers.format(value), unitSymbol(facts.unit, language)].filter(Boolean).join(' ')
  const [metric, value, limit] = [
    metricLabel(facts.metricName, language),
    stateWord(facts.triggerValue, facts.unit, language) ?? quantity(displayValue(facts.triggerValue, facts.thresholdValue)),
    quantity(facts.thresholdValue),
  ]
  if (facts.ruleName !== null) return words.composite(machineName, facts.ruleName, metric, value, `${facts.comparison} ${limit}`)
  const side = facts.comparison.startsWith('>') ? words.above : words.below
  return words.crossed(machineName, metric, value, side, `${words.thresholds[facts.severity]} ${limit}`)
}
