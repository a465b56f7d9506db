import type { Format } from '../../i18n/create-format.ts'

/** A number that the hub stores in the unit of machines, and that a person reads and enters in a unit of their own. */
export interface EnteredValue {
  /** as the hub has it; undefined for a new one */
  stored: number | undefined
  /** in the reader's unit; null until the field is edited */
  typed: string | null
}

/** What the field shows. @param unit of the machine; undefined where it is not known: the number is shown as it is stored */
export function shownText({ stored, typed }: EnteredValue, unit: string | undefined, format: Format): string {
  return typed ?? (stored === undefined ? '' : format.inputText(stored, unit ?? ''))
}

/** The value to store. An unedited value keeps all digits. Undefined for an empty field. */
export function storedValue({ stored, typed }: EnteredValue, unit: string | undefined, format: Format): number | undefined {
  if (typed === null) return stored
  return typed === '' ? undefined : format.fromUnit(Number(typed), unit ?? '')
}
