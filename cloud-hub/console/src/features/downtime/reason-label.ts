import { reasonCodes } from '../../i18n/de/reason-codes.ts'
import { useCatalogue } from '../../i18n/language.ts'

/** Names a reason code: those that come with the hub in the reader's language. */
export function useReasonLabel(): (code: { label: string }) => string {
  const { language } = useCatalogue()
  return ({ label }) => (language === 'de' && Object.hasOwn(reasonCodes, label) ? (reasonCodes[label] as string) : label)
}
