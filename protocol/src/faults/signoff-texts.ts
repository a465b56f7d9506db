/** Why the verification of a sign-off fails. */
export const SIGNOFF_TEXTS = {
  signoff_payload_version: 'Payload version: this hub knows no version {version}.',
  signoff_key_missing: 'Key: the hub has no usable key {key}, so the signature cannot be checked.',
  signoff_payload_changed: 'Stored payload: it was changed after signing; the record itself was not.',
  signoff_signature_foreign: 'Signature: the stored signature does not belong to this record.',
  signoff_record_changed: 'Record: changed after signing: {fields}.',
  signoff_more_changed: 'Record: changed after signing: {fields} and {count} more.',
  signoff_file_missing: 'File: {file} is missing from the storage.',
  signoff_file_changed: 'File: {file} does not have the bytes that were signed.',
  signoff_files_missing: 'File: missing from the storage: {files}.',
  signoff_files_changed: 'File: without the bytes that were signed: {files}.',
  signoff_files_missing_and_changed: 'File: missing from the storage: {missing}; without the bytes that were signed: {changed}.',
  signoff_order_incomplete: 'Chain of the work order: a sign-off of this work order is missing.',
  signoff_order_changed: 'Chain of the work order: the sign-off before this one was changed or replaced.',
  signoff_chain_before: 'Chain of the organisation: sign-off {number}, the one before this, is missing or was changed.',
  signoff_chain_after:
    'Chain of the organisation: sign-off {number}, the one after this, or the head of the chain is missing or was changed.',
} as const
