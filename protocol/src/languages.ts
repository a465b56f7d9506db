/** The languages in which Haltless writes texts for people. Each table of texts has all of them: a new one here does not compile without. */
export const LANGUAGES = ['en', 'de'] as const
export type Language = (typeof LANGUAGES)[number]

/** Each as its speakers call it. */
export const LANGUAGE_NAMES: Record<Language, string> = { en: 'English', de: 'Deutsch' }

/** The language of the first of these tags, such as `de-AT`, that has one; English where none has. Source of tags: BCP 47 */
export function languageOf(...tags: readonly (string | null | undefined)[]): Language {
  for (const tag of tags) {
    const [language] = (tag ?? '').toLowerCase().split('-')
    const found = LANGUAGES.find((known) => known === language)
    if (found) return found
  }
  return 'en'
}
