import type { Language } from './texts.ts'

const NUMBER = /\d+(?:[.,]\d+)*/g
const WORD = /\p{L}+ty-\p{L}+|\p{L}+/gu

/** Words from two on: one is an article and a pronoun too. */
const WORDS = {
  en: 'two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen',
  de: 'zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn',
} satisfies Record<Language, string>
const TENS = {
  en: 'twenty thirty forty fifty sixty seventy eighty ninety hundred',
  de: 'zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig hundert',
} satisfies Record<Language, string>
const COMPOUNDS = {
  en: /^(?:dozens?|thousands?|fortnights?|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)-\p{L}+)$/u,
  de: /^(?:dutzend|tausend|\p{L}{3,6}und(?:zwanzig|dreißig|vierzig|fünfzig|sechzig|siebzig|achtzig|neunzig))$/u,
} satisfies Record<Language, RegExp>

/**
 * Whether every number of a text also stands in the facts. Compared are values: 12, 12.0 and twelve are equal; a dot or comma before
 * exactly three digits may separate thousands, as the language has it.
 * @param names may contain digits, such as `press-01`; these count only as part of the whole name
 */
export function hasOnlyKnownNumbers(text: string, facts: string, language: Language, names: readonly string[] = []): boolean {
  const known = new Set(numbersOf(facts, language, names))
  return [...numbersOf(text, language, names), ...wordsOf(text, language)].every((number) => known.has(number))
}

/** Values, and what is no number (such as `1.2.3`) as it stands. */
function numbersOf(text: string, language: Language, names: readonly string[]): (number | string)[] {
  // digits of other scripts are numbers too
  const plain = withoutNames(normalized(text), names).replace(/\p{Nd}/gu, (digit) => (/\d/.test(digit) ? digit : '\u{fffd}9'))
  return [...plain.matchAll(NUMBER)].map(([number]) => parsed(number, language))
}

function parsed(number: string, language: Language): number | string {
  const isSeparated = (language === 'de' ? /^\d{1,3}(?:\.\d{3})+(?:,\d+)?$/ : /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/).test(number)
  const [thousands, decimal] = language === 'de' ? ['.', ','] : [',', '.']
  const value = Number((isSeparated ? number.replaceAll(thousands as string, '') : number).replace(decimal as string, '.'))
  const isForeign = !isSeparated && number.includes(thousands as string)
  return isForeign || Number.isNaN(value) ? number : value
}

/** Words of numbers, a value each; compounds, which have no value here, as they stand. */
function wordsOf(text: string, language: Language): (number | string)[] {
  const values = new Map<string, number>([
    ...WORDS[language].split(' ').map((word, i) => [word, i + 2] as const),
    ...TENS[language].split(' ').map((word, i) => [word, 10 * (i + 2)] as const),
  ])
  return [...normalized(text).toLowerCase().matchAll(WORD)].flatMap(([word]) => {
    const found = COMPOUNDS[language].test(word) ? word : values.get(word)
    return found === undefined ? [] : [found]
  })
}

/** A name of digits alone stays: it could stand for any number. */
function withoutNames(text: string, names: readonly string[]): string {
  const parts = names
    .map(normalized)
    .filter((name) => /\d/.test(name) && /\p{L}/u.test(name))
    .sort((a, b) => b.length - a.length)
    .map((name) => name.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
  if (parts.length === 0) return text
  return text.replace(new RegExp(`(?<![\\p{L}\\p{N}])(?:${parts.join('|')})(?![\\p{L}\\p{N}])`, 'giu'), ' ')
}

const normalized = (text: string): string => text.normalize('NFKC')
