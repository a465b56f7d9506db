import type { Block, Cell, DocumentContent, Fact, Photo } from '../../../support/document/blocks.ts'
import type { CertificateAttachment, CertificateInstruction, CertificatePayload, CertificateSignoff } from './payload.ts'

/** A photo of the certificate, or why an attachment that looks like one is not drawn. */
export type CertificatePhoto = { attachmentId: string } & ({ jpeg: Uint8Array } | { omitted: string })

const MIME_TYPE = 'application/json'
const UNKNOWN_LETTERS =
  'A box (□) stands for a character that the fonts of this document lack. The attached certificate.json has the exact text.'

/** The certificate as a document. All times are UTC. `json` is the canonical form of the payload. */
export function certificateDocument(payload: CertificatePayload, json: Uint8Array, photos: CertificatePhoto[]): DocumentContent {
  const { reference, issuer, organisation, work_order: order, signoffs } = payload
  const verificationUrl = `${issuer}/verify/${reference}`
  const last = signoffs.at(-1)?.signed_at ?? order.completed_at
  return {
    title: `Completion certificate: ${order.title}`,
    language: 'en',
    createdAt: Number.isNaN(Date.parse(last)) ? new Date(0) : new Date(last),
    runningTitle: `Completion certificate · ${order.title}`,
    footer: `Reference ${reference} · ${organisation}`,
    pageNumber: 'Page {page} of {pages}',
    unknownLetters: UNKNOWN_LETTERS,
    attachment: {
      name: 'certificate.json',
      bytes: json,
      mimeType: MIME_TYPE,
      description: 'The content of this certificate as canonical JSON (RFC 8785)',
    },
    blocks: [
      {
        kind: 'title',
        text: 'Completion certificate',
        subtitle: order.title,
        code: { text: verificationUrl, caption: `Scan to verify\n${reference}` },
      },
      summary(signoffs),
      { kind: 'heading', text: 'Work order' },
      { kind: 'facts', rows: workOrderFacts(payload) },
      instructionTable(payload.instructions),
      ...attachmentBlocks(payload.attachments, photos),
      signatureTable(signoffs),
      { kind: 'heading', text: 'How to verify this certificate' },
      { kind: 'paragraph', text: verificationText(verificationUrl), isSmall: true },
    ],
  }
}

function summary(signoffs: CertificateSignoff[]): Block {
  const invalid = signoffs.filter(({ is_valid }) => !is_valid).length
  if (signoffs.length === 0)
    return {
      kind: 'notice',
      tone: 'warning',
      title: 'Completed, not signed',
      text: 'This work order was completed. It has no signatures, and it can still be changed.',
    }
  const count = signoffs.length === 1 ? '1 signature' : `${signoffs.length} signatures`
  if (invalid === 0)
    return {
      kind: 'notice',
      tone: 'good',
      title: `Completed and signed: ${count}, ${signoffs.length === 1 ? 'valid' : 'all valid'}`,
      text: 'The record has not changed since it was signed.',
    }
  return {
    kind: 'notice',
    tone: 'critical',
    title:
      invalid === signoffs.length
        ? `${count}, ${signoffs.length === 1 ? 'not valid' : 'none valid'}`
        : `${count}, ${invalid} not valid`,
    text: 'The record or a signature was changed after signing. Do not rely on this document; the signatures below name the failed check.',
  }
}

function workOrderFacts({ organisation, work_order: order }: CertificatePayload): Fact[][] {
  const { machine } = order
  const optional = (name: string, value: string | null): Fact[] => (value ? [[name, value]] : [])
  return [
    [['Organisation', organisation]],
    [
      ['Machine', machine.name],
      ['Identifier', machine.identifier],
    ],
    [['Priority', capitalise(order.priority)], ...optional('Due', order.due_date && when(order.due_date))],
    [
      ['Created', when(order.created_at)],
      ['Created by', order.created_by ?? 'The hub'],
    ],
    [['Completed', when(order.completed_at)], ...optional('Assigned to', order.assigned_to)],
    optional('Also assigned', order.additional_assignees.join(', ')),
    [['Work order', order.id]],
    optional('Description', order.description),
    optional('Notes', order.completion_notes),
  ]
}

function signatureTable(signoffs: CertificateSignoff[]): Block {
  return {
    kind: 'table',
    caption: 'Signatures',
    columns: [
      { name: 'No.', share: 5 },
      { name: 'Signed by', share: 45 },
      { name: 'Role', share: 13 },
      { name: 'Signed at', share: 24 },
      { name: 'Verification', share: 13 },
    ],
    rows: signoffs.map(({ signer_name, signer_role, signed_at, signature_hash, is_valid, detail }, i): Cell[] => [
      String(i + 1),
      {
        text: signer_name,
        isBold: true,
        detail: [...(is_valid ? [] : [detail]), `HMAC-SHA256 ${grouped(signature_hash)}`].join('\n'),
      },
      capitalise(signer_role),
      when(signed_at),
      is_valid ? { text: 'Valid', tone: 'good', isBold: true } : { text: 'Not valid', tone: 'critical', isBold: true },
    ]),
    none: 'This work order has no signatures.',
  }
}

function instructionTable(instructions: CertificateInstruction[]): Block {
  return {
    kind: 'table',
    caption: 'Instructions',
    columns: [
      { name: 'Step', share: 7 },
      { name: 'Instruction', share: 64 },
      { name: 'Carried out', share: 29 },
    ],
    rows: instructions.map(({ step_order, title, body, completed_at, completed_by, attachment }): Cell[] => {
      const detail = [body, attachment && `Attachment: ${attachment}`].filter(Boolean).join('\n')
      return [
        String(step_order),
        { text: title, isBold: true, detail },
        completed_at
          ? { text: 'Yes', tone: 'good', detail: [completed_by, when(completed_at)].filter(Boolean).join('\n') }
          : { text: 'Not ticked off', tone: 'warning' },
      ]
    }),
    none: 'This work order has no instructions.',
  }
}

function attachmentBlocks(attachments: CertificateAttachment[], photos: CertificatePhoto[]): Block[] {
  if (attachments.length === 0) return []
  const photoOf = new Map(photos.map((photo) => [photo.attachmentId, photo]))
  const drawn: Photo[] = []
  const rows = attachments.map(({ id, filename, content_type, size_bytes, sha256, uploaded_by, created_at }): Cell[] => {
    const photo = photoOf.get(id)
    let note = ''
    if (photo && 'jpeg' in photo) {
      note = `Photo ${drawn.length + 1} below`
      const caption = `Photo ${drawn.length + 1}: ${filename}`
      drawn.push({ jpeg: photo.jpeg, caption, alternative: `Photo ${filename}, SHA-256 ${sha256}` })
    } else if (photo) note = `Not drawn: ${photo.omitted}`
    return [
      { text: filename, isBold: true, detail: [`SHA-256 ${grouped(sha256)}`, note].filter(Boolean).join('\n') },
      { text: content_type, detail: size(size_bytes) },
      { text: uploaded_by ?? 'The hub', detail: when(created_at) },
    ]
  })
  return [
    {
      kind: 'table',
      caption: 'Attachments',
      columns: [
        { name: 'File', share: 50 },
        { name: 'Type and size', share: 26 },
        { name: 'Uploaded', share: 24 },
      ],
      rows,
      none: '',
    },
    ...(drawn.length > 0
      ? ([
          { kind: 'heading', text: 'Photos' },
          { kind: 'photos', photos: drawn },
        ] satisfies Block[])
      : []),
  ]
}

const verificationText = (url: string) =>
  `Online: open ${url}; the page shows what the issuing hub has on record now.
Offline: \`npm run hub -- verify-certificate FILE --keys KEYS\` checks the Ed25519 signature over every byte of this file, with the public keys that the hub publishes at /.well-known/certificate-keys.json.
The content is attached as certificate.json, and the hash of each attachment allows to check the original files. All times are UTC.`

/** `2026-11-22 18:04:05 UTC` */
const when = (instant: string) => instant.replace(/T(.{8}).*/, ' $1 UTC')
const capitalise = (text: string) => text.charAt(0).toUpperCase() + text.slice(1).replaceAll('_', ' ')
/** A hash in groups of eight digits, so that it wraps between groups. */
const grouped = (hex: string) => hex.replace(/(.{8})(?=.)/g, '$1 ')
const size = (bytes: number) =>
  bytes < 1_000 ? `${bytes} bytes` : bytes < 999_500 ? `${(bytes / 1_000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
