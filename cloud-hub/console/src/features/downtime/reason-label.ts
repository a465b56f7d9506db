import type { Language } from '@haltless/protocol/languages'
import { reasonCodes } from '../../i18n/de/reason-codes.ts'
import { useCatalogue } from '../../i18n/language.ts'

/** The labels of the reason codes that come with the hub; English is what the hub stores. */
const LABELS: Record<Language, Readonly<Record<string, string>>> = { en: {}, de: reasonCodes }

/** Names a reason code: those that come with the hub in the reader's language. */
export function useReasonLabel(): (code: { label: string }) => string {
  const { language } = useCatalogue()
  return ({ label }) => (Object.hasOwn(LABELS[language], label) ? (LABELS[language][label] as string) : label)
}
