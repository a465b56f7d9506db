/** What the hub says about sign-offs and imported days. */
export const recordSentences = {
  sigKey: 'The hub cannot check the signature: its key or the form of its record is unknown to it.',
  sigPayload: 'The stored text was changed after signing; the record itself was not.',
  sigForeign: 'The stored signature does not belong to this record.',
  sigRecord: 'The record was changed after signing: {fields}.',
  sigFile: 'The stored files are not those that were signed: {files}.',
  sigChain: 'A sign-off before or after this one is missing or was changed.',
  dayNotWhole: 'It is not an event of whole days.',
  dayYears: 'It lies outside the years {from} to {to}.',
  dayLong: 'It lasts more than {limit} days.',
  dayRepeats: 'It repeats in another way than yearly on the same date: export single dates.',
} as const
