import { finder as de } from '../i18n/de/finder.ts'
import { finder as en } from '../i18n/en/finder.ts'
import { ownTexts } from '../i18n/own-texts.ts'

/** Texts of the finder and the keys. */
export const useFinderTexts = ownTexts({ en, de })
