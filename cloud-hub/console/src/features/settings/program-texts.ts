import { programTexts as de } from '../../i18n/de/tokens.ts'
import { programTexts as en } from '../../i18n/en/tokens.ts'
import { ownTexts } from '../../i18n/own-texts.ts'

/** Texts of access tokens and service accounts. */
export const useProgramTexts = ownTexts({ en, de })

/** A text with values in the places of their names. */
export const fill = (text: string, values: Record<string, string | number>): string =>
  text.replace(/\{(\w+)\}/g, (place, name: string) => String(values[name] ?? place))
