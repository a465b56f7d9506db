import { LANGUAGES, type Language, metricLabel, unitSymbol } from '@haltless/protocol'
import type { Factor } from '../method/index.ts'

/** What a narrative tells about a machine. */
export interface NarrativeFacts {
  machineName: string
  healthScore: number
  riskLevel: 'healthy' | 'watch' | 'warning' | 'critical'
  /** null: no number, as in the next three */
  daysToMaintenance: number | null
  daysToFailure: number | null
  failureLow: number | null
  failureHigh: number | null
  limitingMetric: string | null
  degradationRate: number
  factors: readonly Factor[]
}

/** Writes the values of a text: as they are, or as slots. Units count as names. */
interface Writer {
  number(value: number): string
  name(text: string): string
}

interface Texts {
  factor(factor: Factor, writer: Writer): string
  summary(facts: NarrativeFacts, writer: Writer): string[]
}

const en: Texts = {
  factor(factor, { number, name }) {
    switch (factor.kind) {
      case 'forecast':
        return `${name(metricLabel(factor.metric))} reaches its critical limit of ${number(factor.limit)} ${name(unitSymbol(factor.unit))} in about ${number(factor.days)} days (${span(factor, number, 'to', 'or more')}).`
      case 'level':
        return `${name(metricLabel(factor.metric))} is ${number(factor.value)} ${name(unitSymbol(factor.unit))}, beyond the ${factor.isCritical ? 'critical' : 'warning'} limit of ${number(factor.limit)}.`
      case 'drift':
        return `${name(metricLabel(factor.metric))} is ${number(Math.abs(factor.sigma))} standard deviations ${factor.sigma > 0 ? 'above' : 'below'} its baseline.`
      case 'anomalies':
        return `${number(factor.week)} ${factor.week === 1 ? 'anomaly' : 'anomalies'} in ${number(7)} days, ${number(factor.month)} in ${number(30)} days.`
      case 'alerts':
        return `${number(factor.active)} ${factor.active === 1 ? 'alert is' : 'alerts are'} not cleared, ${number(factor.week)} ${factor.week === 1 ? 'was' : 'were'} raised in ${number(7)} days${factor.isCritical ? '; some are critical' : ''}.`
      case 'downtime':
        return `${number(factor.failures)} unplanned ${factor.failures === 1 ? 'stop' : 'stops'} with ${number(factor.hours)} hours in ${number(30)} days${factor.isOngoing ? '; the last is ongoing' : ''}.`
    }
  },
  summary: (facts, { number, name }) => [
    `${name(facts.machineName)} has a health score of ${number(facts.healthScore)} of ${number(100)}: ${{ healthy: 'healthy', watch: 'to be watched', warning: 'at risk', critical: 'critical' }[facts.riskLevel]}.`,
    ...(facts.daysToMaintenance === null ? [] : [`Plan maintenance within ${number(facts.daysToMaintenance)} days.`]),
    ...(facts.degradationRate > 0 ? [`The score falls by ${number(facts.degradationRate)} points a day.`] : []),
    ...(facts.factors.length === 0 ? ['Nothing unusual was found.'] : []),
  ],
}

const de: Texts = {
  factor(factor, { number, name }) {
    switch (factor.kind) {
      case 'forecast':
        return `${name(metricLabel(factor.metric, 'de'))} erreicht die kritische Grenze von ${number(factor.limit)} ${name(unitSymbol(factor.unit, 'de'))} in etwa ${number(factor.days)} Tagen (${span(factor, number, 'bis', 'oder mehr')}).`
      case 'level':
        return `${name(metricLabel(factor.metric, 'de'))} liegt bei ${number(factor.value)} ${name(unitSymbol(factor.unit, 'de'))}, jenseits der ${factor.isCritical ? 'kritischen Grenze' : 'Warngrenze'} von ${number(factor.limit)}.`
      case 'drift':
        return `${name(metricLabel(factor.metric, 'de'))} liegt ${number(Math.abs(factor.sigma))} Standardabweichungen ${factor.sigma > 0 ? 'über' : 'unter'} dem üblichen Wert.`
      case 'anomalies':
        return `${number(factor.week)} ${factor.week === 1 ? 'Anomalie' : 'Anomalien'} in ${number(7)} Tagen, ${number(factor.month)} in ${number(30)} Tagen.`
      case 'alerts':
        return `${number(factor.active)} ${factor.active === 1 ? 'Alarm steht' : 'Alarme stehen'} an, ${number(factor.week)} ${factor.week === 1 ? 'kam' : 'kamen'} in ${number(7)} Tagen${factor.isCritical ? '; einige sind kritisch' : ''}.`
      case 'downtime':
        return `${number(factor.failures)} ${factor.failures === 1 ? 'ungeplanter Stillstand' : 'ungeplante Stillstände'} mit ${number(factor.hours)} Stunden in ${number(30)} Tagen${factor.isOngoing ? '; einer dauert an' : ''}.`
    }
  },
  summary: (facts, { number, name }) => [
    `${name(facts.machineName)} hat einen Zustandswert von ${number(facts.healthScore)} von ${number(100)}: ${{ healthy: 'in Ordnung', watch: 'zu beobachten', warning: 'gefährdet', critical: 'kritisch' }[facts.riskLevel]}.`,
    ...(facts.daysToMaintenance === null
      ? []
      : [`Planen Sie die Wartung innerhalb von ${number(facts.daysToMaintenance)} Tagen.`]),
    ...(facts.degradationRate > 0 ? [`Der Wert fällt um ${number(facts.degradationRate)} Punkte am Tag.`] : []),
    ...(facts.factors.length === 0 ? ['Es wurde nichts Ungewöhnliches gefunden.'] : []),
  ],
}

const TEXTS = { en, de } satisfies Record<Language, Texts>
const NO_DATA = { en: 'no data yet', de: 'noch keine Daten' } satisfies Record<Language, string>
const FORMATS = Object.fromEntries(
  LANGUAGES.map((language) => [language, new Intl.NumberFormat(language, { maximumFractionDigits: 2 })]),
) as Record<Language, Intl.NumberFormat>

function span({ low, high }: { low: number; high: number | null }, number: (value: number) => string, to: string, open: string) {
  return high === null ? `${number(low)} ${open}` : `${number(low)} ${to} ${number(high)}`
}

/** Three significant digits, whole numbers from 100 on. */
const numberIn = (language: Language) => (value: number) =>
  FORMATS[language].format(Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3)))

const plainWriter = (language: Language): Writer => ({ number: numberIn(language), name: (text) => text })

/** The reasons for the score as sentences, the heaviest first. */
export const describeFactors = (factors: readonly Factor[], language: Language): string[] =>
  factors.map((factor) => TEXTS[language].factor(factor, plainWriter(language)))

/** The only factor of a machine without data. */
export const noData = (language: Language): string => NO_DATA[language]

/** The narrative of the template: the score, what to plan, and the three heaviest reasons. */
export const narrate = (facts: NarrativeFacts, language: Language): string =>
  [...TEXTS[language].summary(facts, plainWriter(language)), ...describeFactors(facts.factors.slice(0, 3), language)].join(' ')

/**
 * The facts as sentences in which each number, unit and name is a slot such as `{1}`.
 * @returns also the values of the slots, from 1
 */
export function describeInSlots(facts: NarrativeFacts, language: Language): { sentences: string[]; values: string[] } {
  const values: string[] = []
  const number = numberIn(language)
  const slotOf = (text: string) => `{${values.push(text)}}`
  const writer: Writer = {
    number: (value) => slotOf(number(value)),
    // a name that comes again has the same slot
    name: (text) => (text === '' ? '' : values.includes(text) ? `{${values.indexOf(text) + 1}}` : slotOf(text)),
  }
  const { summary, factor } = TEXTS[language]
  const sentences = [...summary(facts, writer), ...facts.factors.map((each) => factor(each, writer))]
  return { sentences, values }
}
