import type { AttachmentStore, FileChecker } from '../attachments/index.ts'
import type { SignedAttachmentRow } from './record.ts'
import type { VerifiedRecord } from './verify-signoffs.ts'

/** The stored files of attachments, and what compares them with their hashes. */
export interface Files {
  store: AttachmentStore
  checker: FileChecker
}

type CheckOptions = Parameters<FileChecker['check']>[2]

/**
 * A verified record whose sign-offs are valid only while the stored files are those that were signed. Files are read one after the
 * other, outside of any transaction, and only where a sign-off is valid otherwise.
 * @throws StorageAway; Unavailable when too many files are being compared
 */
export async function verifySignedFiles(record: VerifiedRecord, files: Files, options?: CheckOptions): Promise<VerifiedRecord> {
  if (!record.signoffs.some(({ isValid }) => isValid)) return record
  const detail = await fileFault(record.attachments, files, options)
  if (detail === null) return record
  return { ...record, signoffs: record.signoffs.map((row) => (row.isValid ? { ...row, isValid: false, detail } : row)) }
}

/** The stored files that are missing or changed, as a sentence; null: none. @throws StorageAway, Unavailable */
export async function fileFault(
  attachments: Pick<SignedAttachmentRow, 'filename' | 'tenantId' | 'storageKey' | 'sizeBytes' | 'sha256'>[],
  { store, checker }: Files,
  options?: CheckOptions,
): Promise<string | null> {
  const faults: string[] = []
  for (const file of attachments) {
    const { state } = await checker.check(store, file, options)
    if (state === 'missing') faults.push(`${file.filename} is missing from the storage`)
    if (state === 'changed') faults.push(`${file.filename} does not have the bytes that were signed`)
  }
  if (faults.length === 0) return null
  return `File: ${faults.slice(0, 5).join('; ')}${faults.length > 5 ? ` and ${faults.length - 5} more` : ''}.`
}
