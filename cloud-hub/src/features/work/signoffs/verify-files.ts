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
  const verification = { isValid: false, ...found }
  return { ...record, signoffs: record.signoffs.map((row) => (row.isValid ? { ...row, ...verification } : row)) }
}

/** What is wrong with stored files: as a sentence that says it of each, and by code. */
export interface FileFault {
  detail: string
  fault: Fault
}

/** The stored files that are missing or changed; null: none. @throws StorageAway, Unavailable */
export async function fileFault(
  attachments: Pick<SignedAttachmentRow, 'filename' | 'tenantId' | 'storageKey' | 'sizeBytes' | 'sha256'>[],
  { store, checker }: Files,
  options?: CheckOptions,
): Promise<FileFault | null> {
  const bad: BadFile[] = []
  for (const file of attachments) {
    const { state } = await checker.check(store, file, options)
    if (state === 'missing' || state === 'changed') bad.push({ file: file.filename, state })
  }
  if (bad.length === 0) return null
  const sentences = bad.slice(0, MAX_NAMED).map(({ file, state }) => `${file} ${SENTENCES[state]}`)
  const more = bad.length > MAX_NAMED ? ` and ${bad.length - MAX_NAMED} more` : ''
  return { detail: `File: ${sentences.join('; ')}${more}.`, fault: faultOf(bad) }
}

type BadFile = { file: string; state: 'missing' | 'changed' }

function faultOf(bad: readonly BadFile[]): Fault {
  const [missing, changed] = [namesOf(bad, 'missing'), namesOf(bad, 'changed')]
  if (missing !== '' && changed !== '') return fault('signoff_files_missing_and_changed', { missing, changed })
  const files = missing || changed
  if (bad.length === 1) return fault(missing ? 'signoff_file_missing' : 'signoff_file_changed', { file: files })
  return fault(missing ? 'signoff_files_missing' : 'signoff_files_changed', { files })
}

/** Such as `a.pdf, b.pdf (+3)`; empty without a file of this state. */
function namesOf(bad: readonly BadFile[], state: BadFile['state']): string {
  const files = bad.filter((one) => one.state === state).map(({ file }) => file)
  const more = files.length > MAX_NAMED ? ` (+${files.length - MAX_NAMED})` : ''
  return `${files.slice(0, MAX_NAMED).join(', ')}${more}`
}
