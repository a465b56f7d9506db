import type { en } from './en/refusals.ts'
import { ERP_PATTERNS } from './erp-patterns.ts'
import { RECORD_PATTERNS } from './record-patterns.ts'

type Sentence = keyof (typeof en)['hubText']
type Values = Record<string, string>

/**
 * Sentences of the hub that carry no code: what is wrong with a field, a row, a file or a receiver, and how updates of agents went.
 * A sentence that is not here is shown as the hub wrote it.
 */
const SENTENCES: readonly (readonly [RegExp, Sentence])[] = (
  [
    ['The ERP answers\\.', 'erpAnswers'],
    ['The ERP refuses the record \\(status (?<status>\\d+)\\)\\.\\s*(?<reason>.*)', 'erpRefuses'],
    ['The ERP failed on this record \\(status (?<status>\\d+)\\)\\.\\s*(?<reason>.*)', 'erpFailed'],
    ['The ERP returned no answer for this record\\.', 'erpNoAnswer'],
    ['The ERP has no record (?<id>.+?) any more.*', 'erpGone'],
    ['The record was not sent\\.\\s*(?<reason>.*)', 'erpNotSent'],
    ['The ERP answered (?:with status )?(?<status>\\d+).*', 'erpStatus'],
    ...ERP_PATTERNS,
    ...RECORD_PATTERNS,
  ] as const
).map(([pattern, sentence]) => [new RegExp(`^(?:${pattern})$`, 'i'), sentence])

/** @returns which sentence this is, with its values; null where it is none of them */
export function recognize(text: string): { sentence: Sentence; values: Values } | null {
  for (const [pattern, sentence] of SENTENCES) {
    const found = pattern.exec(text)
    if (!found) continue
    const groups: Record<string, string | undefined> = found.groups ?? {}
    const values = Object.fromEntries(Object.entries(groups).filter((it): it is [string, string] => it[1] !== undefined))
    return { sentence, values }
  }
  return null
}
