/** Sentences about sign-offs, and about rows of an imported calendar. Sources: `verify-signoffs.ts`, `verify-files.ts`, `read-calendar.ts`. */
export const RECORD_PATTERNS = [
  ['Key: the hub has no usable key (?<key>\\S+), so .*|Payload version: .*', 'sigKey'],
  ['Stored payload: it was changed .*', 'sigPayload'],
  ['Signature: the stored signature does not belong to this record\\.', 'sigForeign'],
  ['Record: changed after signing: (?<fields>.+)\\.', 'sigRecord'],
  ['File: (?<files>.+)\\.', 'sigFile'],
  ['Chain of the (?:work order|organisation): .*', 'sigChain'],
  ['is not an event of whole days', 'dayNotWhole'],
  ['lies outside the years (?<from>\\d+) to (?<to>\\d+)', 'dayYears'],
  ['lasts more than (?<limit>\\d+) days', 'dayLong'],
  ['repeats in another way than yearly on the same date: .*', 'dayRepeats'],
] as const
