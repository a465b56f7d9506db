import type { Language } from '@haltless/protocol/languages'
import type { Block, Cell, DocumentContent, Fact, Photo } from '../../../support/document/blocks.ts'
import { CERTIFICATE_TEXTS, type CertificateTexts, type Omission } from './certificate-texts.ts'
import type { CertificateAttachment, CertificateInstruction, CertificatePayload, CertificateSignoff } from './payload.ts'
import { signoffReason } from './signoff-reasons.ts'

/** A photo of the certificate, or why an attachment that looks like one is not drawn. */
export type CertificatePhoto = { attachmentId: string } & ({ jpeg: Uint8Array } | { omitted: Omission })

export interface CertificateContent {
  language: Language
  payload: CertificatePayload
  /** the canonical form of the payload */
  json: Uint8Array
  photos: CertificatePhoto[]
}

const MIME_TYPE = 'application/json'

/** The certificate as a document. All times are UTC. */
export function certificateDocument({ language, payload, json, photos }: CertificateContent): DocumentContent {
  const t = CERTIFICATE_TEXTS[language]
  const { reference, issuer, organisation, work_order: order, signoffs } = payload
  const verificationUrl = `${issuer}/verify/${reference}`
  const last = signoffs.at(-1)?.signed_at ?? order.completed_at
  return {
    title: `${t.title}: ${order.title}`,
    language,
    createdAt: Number.isNaN(Date.parse(last)) ? new Date(0) : new Date(last),
    runningTitle: `${t.title} · ${order.title}`,
    footer: `${t.reference} ${reference} · ${organisation}`,
    pageNumber: t.pageNumber,
    unknownLetters: t.unknownLetters,
    attachment: {
      name: 'certificate.json',
      bytes: json,
      mimeType: MIME_TYPE,
      description: t.json,
    },
    blocks: [
      {
        kind: 'title',
        text: t.title,
        subtitle: order.title,
        code: { text: verificationUrl, caption: `${t.scan}\n${reference}` },
      },
      summary(signoffs, t),
      { kind: 'heading', text: t.workOrder },
      { kind: 'facts', rows: workOrderFacts(payload, t) },
      instructionTable(payload.instructions, t),
      ...attachmentBlocks(payload.attachments, photos, language),
      signatureTable(signoffs, t, language),
      { kind: 'heading', text: t.howToVerify },
      { kind: 'paragraph', text: t.verify(verificationUrl), isSmall: true },
    ],
  }
}

function summary(signoffs: CertificateSignoff[], t: CertificateTexts): Block {
  const invalid = signoffs.filter(({ is_valid }) => !is_valid).length
  if (signoffs.length === 0)
    return {
      kind: 'notice',
      tone: 'warning',
      title: t.unsigned,
      text: t.unsignedText,
    }
  const signatures = t.signatures(signoffs.length)
  if (invalid === 0)
    return {
      kind: 'notice',
      tone: 'good',
      title: t.signed(signatures, signoffs.length),
      text: t.signedText,
    }
  return {
    kind: 'notice',
    tone: 'critical',
    title: t.invalid(signatures, signoffs.length, invalid),
    text: t.invalidText,
  }
}

function workOrderFacts({ organisation, work_order: order }: CertificatePayload, t: CertificateTexts): Fact[][] {
  const { machine } = order
  const optional = (name: string, value: string | null): Fact[] => (value ? [[name, value]] : [])
  return [
    [[t.organisation, organisation]],
    [
      [t.machine, machine.name],
      [t.identifier, machine.identifier],
    ],
    [[t.priority, nameOf(order.priority, t)], ...optional(t.due, order.due_date && when(order.due_date))],
    [
      [t.created, when(order.created_at)],
      [t.createdBy, order.created_by ?? t.hub],
    ],
    [[t.completed, when(order.completed_at)], ...optional(t.assignedTo, order.assigned_to)],
    optional(t.alsoAssigned, order.additional_assignees.join(', ')),
    [[t.workOrder, order.id]],
    optional(t.description, order.description),
    optional(t.notes, order.completion_notes),
  ]
}

function signatureTable(signoffs: CertificateSignoff[], t: CertificateTexts, language: Language): Block {
  return {
    kind: 'table',
    caption: t.signatureTable,
    columns: [
      { name: t.number, share: 5 },
      { name: t.signedBy, share: 45 },
      { name: t.role, share: 13 },
      { name: t.signedAt, share: 24 },
      { name: t.verification, share: 13 },
    ],
    rows: signoffs.map(({ signer_name, signer_role, signed_at, signature_hash, is_valid, fault }, i): Cell[] => [
      String(i + 1),
      {
        text: signer_name,
        isBold: true,
        detail: [...(is_valid ? [] : [signoffReason(fault, language)]), `HMAC-SHA256 ${grouped(signature_hash)}`].join('\n'),
      },
      nameOf(signer_role, t),
      when(signed_at),
      is_valid ? { text: t.valid, tone: 'good', isBold: true } : { text: t.notValid, tone: 'critical', isBold: true },
    ]),
    none: t.noSignatures,
  }
}

function instructionTable(instructions: CertificateInstruction[], t: CertificateTexts): Block {
  return {
    kind: 'table',
    caption: t.instructions,
    columns: [
      { name: t.step, share: 7 },
      { name: t.instruction, share: 64 },
      { name: t.carriedOut, share: 29 },
    ],
    rows: instructions.map(({ step_order, title, body, completed_at, completed_by, attachment }): Cell[] => {
      const detail = [body, attachment && `${t.attachment}: ${attachment}`].filter(Boolean).join('\n')
      return [
        String(step_order),
        { text: title, isBold: true, detail },
        completed_at
          ? { text: t.yes, tone: 'good', detail: [completed_by, when(completed_at)].filter(Boolean).join('\n') }
          : { text: t.no, tone: 'warning' },
      ]
    }),
    none: t.noInstructions,
  }
}

function attachmentBlocks(attachments: CertificateAttachment[], photos: CertificatePhoto[], language: Language): Block[] {
  const t = CERTIFICATE_TEXTS[language]
  if (attachments.length === 0) return []
  const photoOf = new Map(photos.map((photo) => [photo.attachmentId, photo]))
  const drawn: Photo[] = []
  const rows = attachments.map(({ id, filename, content_type, size_bytes, sha256, uploaded_by, created_at }): Cell[] => {
    const photo = photoOf.get(id)
    let note = ''
    if (photo && 'jpeg' in photo) {
      note = t.photoBelow(drawn.length + 1)
      const caption = `${t.photo} ${drawn.length + 1}: ${filename}`
      drawn.push({ jpeg: photo.jpeg, caption, alternative: `${t.photo} ${filename}, SHA-256 ${sha256}` })
    } else if (photo) note = `${t.notDrawn}: ${t.omissions[photo.omitted](content_type)}`
    return [
      { text: filename, isBold: true, detail: [`SHA-256 ${grouped(sha256)}`, note].filter(Boolean).join('\n') },
      { text: content_type, detail: size(size_bytes, language) },
      { text: uploaded_by ?? t.hub, detail: when(created_at) },
    ]
  })
  return [
    {
      kind: 'table',
      caption: t.attachments,
      columns: [
        { name: t.file, share: 50 },
        { name: t.typeAndSize, share: 26 },
        { name: t.uploaded, share: 24 },
      ],
      rows,
      none: '',
    },
    ...(drawn.length > 0
      ? ([
          { kind: 'heading', text: t.photos },
          { kind: 'photos', photos: drawn },
        ] satisfies Block[])
      : []),
  ]
}

/** `2026-11-22 18:04:05 UTC` */
const when = (instant: string) => instant.replace(/T(.{8}).*/, ' $1 UTC')
/** Of a priority or role. */
const nameOf = (key: string, { names }: CertificateTexts) =>
  names[key] ?? key.charAt(0).toUpperCase() + key.slice(1).replaceAll('_', ' ')
/** A hash in groups of eight digits, so that it wraps between groups. */
const grouped = (hex: string) => hex.replace(/(.{8})(?=.)/g, '$1 ')
function size(bytes: number, language: Language): string {
  if (bytes < 1_000) return `${bytes} bytes`
  const number = new Intl.NumberFormat(language, { minimumFractionDigits: 1, maximumFractionDigits: 1, useGrouping: false })
  return bytes < 999_500 ? `${number.format(bytes / 1_000)} kB` : `${number.format(bytes / 1_000_000)} MB`
}
