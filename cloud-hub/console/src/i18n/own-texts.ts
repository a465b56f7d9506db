import type { Language } from '@haltless/protocol/languages'
import { useCatalogue } from './language.ts'

/** A hook for the texts of a part of the console that loads late. They are in its script, because the catalogue is loaded with every page. */
export const ownTexts =
  <T>(texts: Record<Language, T>) =>
  (): T =>
    texts[useCatalogue().language]
