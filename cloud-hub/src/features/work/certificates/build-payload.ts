import { instantText, type SignedNames, type VerifiedRecord } from '../signoffs/index.ts'
import type { CertificatePayload } from './payload.ts'

const iso = (at: Date | null) => at && instantText(at)

/** @param names of machine, customer and people: those of the last sign-off, or the present ones of an unsigned work order */
export function buildPayload(
  { workOrder, assignees, instructions, attachments, signoffs }: VerifiedRecord,
  names: SignedNames,
  { reference, issuer }: { reference: string; issuer: string },
): CertificatePayload {
  const nameOf = (id: string | null) => (id === null ? null : (names.people[id] ?? id))
  const fileNames = new Map(attachments.map(({ id, filename }) => [id, filename]))
  return {
    format: 'haltless-certificate',
    version: 1,
    reference,
    issuer,
    organisation: names.customer,
    work_order: {
      id: workOrder.id,
      title: workOrder.title,
      description: workOrder.description,
      priority: workOrder.priority,
      due_date: iso(workOrder.dueDate),
      created_at: instantText(workOrder.createdAt),
      created_by: nameOf(workOrder.createdBy),
      completed_at: instantText(workOrder.completedAt ?? workOrder.updatedAt),
      completion_notes: workOrder.completionNotes,
      assigned_to: nameOf(workOrder.assignedTo),
      additional_assignees: assignees.map(({ userId }) => nameOf(userId) as string),
      machine: { id: workOrder.machineId, name: names.machine.name, identifier: names.machine.identifier },
    },
    instructions: instructions.map((row) => ({
      step_order: row.stepOrder,
      title: row.title,
      body: row.body,
      completed_at: iso(row.completedAt),
      completed_by: nameOf(row.completedBy),
      attachment: row.attachmentId && (fileNames.get(row.attachmentId) ?? null),
    })),
    attachments: attachments.map((row) => ({
      id: row.id,
      filename: row.filename,
      content_type: row.contentType,
      size_bytes: row.sizeBytes,
      sha256: row.sha256,
      uploaded_by: nameOf(row.uploadedBy),
      created_at: instantText(row.createdAt),
    })),
    signoffs: signoffs.map((row) => ({
      id: row.id,
      number: row.number,
      signer_name: row.signerName,
      signer_role: row.signerRole,
      signed_at: instantText(row.signedAt),
      signature_hash: row.signatureHash,
      key_id: row.keyId,
      previous_hash: row.previousHash,
      organisation_sequence: row.sequence,
      organisation_previous_hash: row.tenantPreviousHash,
      is_valid: row.isValid,
      detail: row.detail,
      fault: row.fault,
    })),
  }
}
