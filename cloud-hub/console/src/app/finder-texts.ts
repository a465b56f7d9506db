import { finder as de } from '../i18n/de/finder.ts'
import { finder as en } from '../i18n/en/finder.ts'
import { useCatalogue } from '../i18n/language.ts'

const TEXTS = { en, de }

/** Texts of the finder and the keys that are part of these scripts, because the catalogue is loaded with every page. */
export const useFinderTexts = () => TEXTS[useCatalogue().language]
