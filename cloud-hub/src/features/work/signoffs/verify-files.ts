import { type Fault, fault } from '@haltless/protocol'
import type { AttachmentStore, FileChecker } from '../attachments/index.ts'
import type { SignedAttachmentRow } from './record.ts'
import type { VerifiedRecord } from './verify-signoffs.ts'

/** The stored files of attachments, and what compares them with their hashes. */
export interface Files {
  store: AttachmentStore
  checker: FileChecker
}

/** Files that a sentence names. */
const MAX_NAMED = 5
const SENTENCES = { missing: 'is missing from the storage', changed: 'does not have the bytes that were signed' }

type CheckOptions = Parameters<FileChecker['check']>[2]

/**
 * A verified record whose sign-offs are valid only while the stored files are those that were signed. Files are read one after the
 * other, outside of any transaction, and only where a sign-off is valid otherwise.
 * @throws StorageAway; Unavailable when too many files are being compared
 */
export async function verifySignedFiles(record: VerifiedRecord, files: Files, options?: CheckOptions): Promise<VerifiedRecord> {
  if (!record.signoffs.some(({ isValid }) => isValid)) return record
  const found = await fileFault(record.attachments, files, options)
  if (found === null) return record
  const verification = { isValid: false, detail: found.detail, fault: found }
  return { ...record, signoffs: record.signoffs.map((row) => (row.isValid ? { ...row, ...verification } : row)) }
}

/** The stored files that are missing or changed; null: none. @throws StorageAway, Unavailable */
export async function fileFault(
  attachments: Pick<SignedAttachmentRow, 'filename' | 'tenantId' | 'storageKey' | 'sizeBytes' | 'sha256'>[],
  { store, checker }: Files,
  options?: CheckOptions,
): Promise<Fault | null> {
  const faults: { file: string; state: 'missing' | 'changed' }[] = []
  for (const file of attachments) {
    const { state } = await checker.check(store, file, options)
    if (state === 'missing' || state === 'changed') faults.push({ file: file.filename, state })
  }
  const [first, ...others] = faults
  if (!first) return null
  if (others.length === 0) return fault(first.state === 'missing' ? 'signoff_file_missing' : 'signoff_file_changed', first)
  const named = faults.slice(0, MAX_NAMED)
  const reason = fault('signoff_files_changed', { files: named.map(({ file }) => file).join(', ') })
  const count = faults.length - named.length
  const sentences = named.map(({ file, state }) => `${file} ${SENTENCES[state]}`).join('; ')
  const detail = `File: ${sentences}${count > 0 ? ` and ${count} more` : ''}.`
  return { ...(count > 0 ? fault('and_more', { reason, count }) : reason), detail }
}
