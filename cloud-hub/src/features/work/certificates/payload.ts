import type { Fault } from '@haltless/protocol'

/**
 * What a certificate states, as its attachment `certificate.json`, in version 1. The names of people, machine and organisation are those
 * at the last signature.
 */
export interface CertificatePayload {
  format: 'haltless-certificate'
  version: 1
  /** 128 random bits, base64url: part of the address of the verification page */
  reference: string
  /** the hub's public address */
  issuer: string
  organisation: string
  work_order: {
    id: string
    title: string
    description: string | null
    priority: string
    due_date: string | null
    created_at: string
    created_by: string | null
    completed_at: string
    completion_notes: string | null
    assigned_to: string | null
    additional_assignees: string[]
    machine: { id: string; name: string; identifier: string }
  }
  instructions: CertificateInstruction[]
  attachments: CertificateAttachment[]
  /** oldest first */
  signoffs: CertificateSignoff[]
}

export interface CertificateInstruction {
  step_order: number
  title: string
  body: string | null
  completed_at: string | null
  completed_by: string | null
  /** the name of its attachment */
  attachment: string | null
}

export interface CertificateAttachment {
  id: string
  filename: string
  content_type: string
  size_bytes: number
  /** hex */
  sha256: string
  uploaded_by: string | null
  created_at: string
}

export interface CertificateSignoff {
  id: string
  number: number
  signer_name: string
  signer_role: string
  signed_at: string
  /** HMAC-SHA256, hex */
  signature_hash: string
  /** the hub's key that signed it */
  key_id: string
  /** the signatures before it in the chains of the work order and of the organisation; null for the first */
  previous_hash: string | null
  organisation_sequence: number
  organisation_previous_hash: string | null
  is_valid: boolean
  /** what the verification found, in English */
  detail: string
  /** the same by code; null: it is valid */
  fault: Fault | null
}
