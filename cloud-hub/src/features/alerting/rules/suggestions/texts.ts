import type { Language } from '@haltless/protocol/languages'
import type { Suggestion } from './suggest.ts'

interface Texts {
  reason(suggestion: Suggestion, number: (value: number) => string): string
  message(count: number): string
}

const en: Texts = {
  reason: (s, number) =>
    `In the last 7 days ${number(s.readingCount)} readings of ${s.machineCount === 1 ? 'one machine' : `${number(s.machineCount)} machines`} were usually ${number(s.median)} ${s.unit}, give or take ${number(s.sigma)}. Warning is 3 standard deviations ${s.isHigh ? 'above' : 'below'} that, critical 5; single outliers do not count.`,
  message: (count) =>
    count === 0
      ? 'There is nothing to suggest yet: a metric needs at least 30 readings that differ in the last 7 days.'
      : `${count === 1 ? 'A suggestion' : `${count} suggestions`} from what was normal in the last 7 days.`,
}
const de: Texts = {
  reason: (s, number) =>
    `In den letzten 7 Tagen lagen ${number(s.readingCount)} Messwerte von ${s.machineCount === 1 ? 'einer Maschine' : `${number(s.machineCount)} Maschinen`} meist bei ${number(s.median)} ${s.unit}, mit einer Streuung von ${number(s.sigma)}. Warnung ist 3 Standardabweichungen ${s.isHigh ? 'darüber' : 'darunter'}, kritisch 5; einzelne Ausreißer zählen nicht.`,
  message: (count) =>
    count === 0
      ? 'Noch lässt sich nichts vorschlagen: Eine Messgröße braucht mindestens 30 verschiedene Messwerte in den letzten 7 Tagen.'
      : `${count === 1 ? 'Ein Vorschlag' : `${count} Vorschläge`} aus dem, was in den letzten 7 Tagen normal war.`,
}

/** The sentences of suggestions. */
export const TEXTS: Record<Language, Texts> = { en, de }

/** Writes a number of a reason: in full where a person can read it. */
export const numberIn = (language: Language) => (value: number) => {
  const isReadable = value === 0 || (Math.abs(value) < 1e15 && Math.abs(value) >= 1e-6)
  return value.toLocaleString(language, isReadable ? { maximumFractionDigits: 12 } : { notation: 'scientific' })
}
