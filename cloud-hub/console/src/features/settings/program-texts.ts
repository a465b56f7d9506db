import { programTexts as de } from '../../i18n/de/tokens.ts'
import { programTexts as en } from '../../i18n/en/tokens.ts'
import { useCatalogue } from '../../i18n/language.ts'

const TEXTS = { en, de }

/** The texts of access tokens and service accounts. They are part of these panels, because the catalogue is loaded with every page. */
export const useProgramTexts = () => TEXTS[useCatalogue().language]

/** A text with values in the places of their names. */
export const fill = (text: string, values: Record<string, string | number>): string =>
  text.replace(/\{(\w+)\}/g, (place, name: string) => String(values[name] ?? place))
