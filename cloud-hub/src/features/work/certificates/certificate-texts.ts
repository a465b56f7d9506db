import type { Language } from '@haltless/protocol/languages'

/** More photos are named with their hash only. Damaged ones count: they take as long to decode, and other certificates wait meanwhile. */
export const MAX_PHOTOS = 24

/** Why an image of the work order is not drawn. */
export type Omission = 'otherType' | 'tooMany' | 'unreadable' | 'changed' | 'damaged'

const en = {
  title: 'Completion certificate',
  reference: 'Reference',
  pageNumber: 'Page {page} of {pages}',
  scan: 'Scan to verify',
  json: 'The content of this certificate as canonical JSON (RFC 8785)',
  unknownLetters:
    'A box (□) stands for a character that the fonts of this document lack. The attached certificate.json has the exact text.',
  unsigned: 'Completed, not signed',
  unsignedText: 'This work order was completed. It has no signatures, and it can still be changed.',
  signatures: (count: number) => (count === 1 ? '1 signature' : `${count} signatures`),
  signed: (signatures: string, count: number) => `Completed and signed: ${signatures}, ${count === 1 ? 'valid' : 'all valid'}`,
  signedText: 'The record has not changed since it was signed.',
  invalid: (signatures: string, count: number, invalid: number) =>
    invalid < count ? `${signatures}, ${invalid} not valid` : `${signatures}, ${count === 1 ? 'not valid' : 'none valid'}`,
  invalidText:
    'The record or a signature was changed after signing. Do not rely on this document; the signatures below name the failed check.',
  workOrder: 'Work order',
  organisation: 'Organisation',
  machine: 'Machine',
  identifier: 'Identifier',
  priority: 'Priority',
  due: 'Due',
  created: 'Created',
  createdBy: 'Created by',
  completed: 'Completed',
  assignedTo: 'Assigned to',
  alsoAssigned: 'Also assigned',
  description: 'Description',
  notes: 'Notes',
  hub: 'The hub',
  signatureTable: 'Signatures',
  number: 'No.',
  signedBy: 'Signed by',
  role: 'Role',
  signedAt: 'Signed at',
  verification: 'Verification',
  valid: 'Valid',
  notValid: 'Not valid',
  noSignatures: 'This work order has no signatures.',
  instructions: 'Instructions',
  step: 'Step',
  instruction: 'Instruction',
  carriedOut: 'Carried out',
  yes: 'Yes',
  no: 'Not ticked off',
  attachment: 'Attachment',
  noInstructions: 'This work order has no instructions.',
  attachments: 'Attachments',
  file: 'File',
  typeAndSize: 'Type and size',
  uploaded: 'Uploaded',
  photos: 'Photos',
  photo: 'Photo',
  photoBelow: (number: number) => `Photo ${number} below`,
  notDrawn: 'Not drawn',
  omissions: {
    otherType: (contentType) => `${contentType} is named with its hash only`,
    tooMany: () => `a certificate shows only the first ${MAX_PHOTOS} photos`,
    unreadable: () => 'the stored file cannot be read',
    changed: () => 'the stored file does not have this hash',
    damaged: () => 'the file is damaged or too large',
  } as Record<Omission, (contentType: string) => string>,
  howToVerify: 'How to verify this certificate',
  verify: (url: string) =>
    `Online: open ${url}; the page shows what the issuing hub has on record now.
Offline: \`npm run hub -- verify-certificate FILE --keys KEYS\` checks the Ed25519 signature over every byte of this file, with the public keys that the hub publishes at /.well-known/certificate-keys.json.
The content is attached as certificate.json, and the hash of each attachment allows to check the original files. All times are UTC.`,
  /** priorities and built-in roles; another one is written as it is named */
  names: {} as Readonly<Record<string, string>>,
}

const de: typeof en = {
  title: 'Abschlusszertifikat',
  reference: 'Referenz',
  pageNumber: 'Seite {page} von {pages}',
  scan: 'Zum Prüfen scannen',
  json: 'Der Inhalt dieses Zertifikats als kanonisches JSON (RFC 8785)',
  unknownLetters:
    'Ein Kästchen (□) steht für ein Zeichen, das den Schriften dieses Dokuments fehlt. Das angehängte certificate.json enthält den genauen Text.',
  unsigned: 'Abgeschlossen, nicht unterschrieben',
  unsignedText: 'Dieser Auftrag wurde abgeschlossen. Er hat keine Unterschriften und kann noch geändert werden.',
  signatures: (count) => (count === 1 ? '1 Unterschrift' : `${count} Unterschriften`),
  signed: (signatures, count) => `Abgeschlossen und unterschrieben: ${signatures}, ${count === 1 ? 'gültig' : 'alle gültig'}`,
  signedText: 'Der Auftrag wurde seit dem Unterschreiben nicht geändert.',
  invalid: (signatures, count, invalid) =>
    invalid < count
      ? `${signatures}, ${invalid} nicht gültig`
      : `${signatures}, ${count === 1 ? 'nicht gültig' : 'keine gültig'}`,
  invalidText:
    'Der Auftrag oder eine Unterschrift wurde nach dem Unterschreiben geändert. Verlassen Sie sich nicht auf dieses Dokument; die Unterschriften unten nennen die gescheiterte Prüfung, auf Englisch.',
  workOrder: 'Auftrag',
  organisation: 'Organisation',
  machine: 'Maschine',
  identifier: 'Kennung',
  priority: 'Priorität',
  due: 'Fällig',
  created: 'Angelegt',
  createdBy: 'Angelegt von',
  completed: 'Abgeschlossen',
  assignedTo: 'Zugewiesen an',
  alsoAssigned: 'Auch zugewiesen',
  description: 'Beschreibung',
  notes: 'Notizen',
  hub: 'Der Hub',
  signatureTable: 'Unterschriften',
  number: 'Nr.',
  signedBy: 'Unterschrieben von',
  role: 'Rolle',
  signedAt: 'Unterschrieben am',
  verification: 'Prüfung',
  valid: 'Gültig',
  notValid: 'Nicht gültig',
  noSignatures: 'Dieser Auftrag hat keine Unterschriften.',
  instructions: 'Arbeitsschritte',
  step: 'Schritt',
  instruction: 'Arbeitsschritt',
  carriedOut: 'Ausgeführt',
  yes: 'Ja',
  no: 'Nicht abgehakt',
  attachment: 'Anhang',
  noInstructions: 'Dieser Auftrag hat keine Arbeitsschritte.',
  attachments: 'Anhänge',
  file: 'Datei',
  typeAndSize: 'Art und Größe',
  uploaded: 'Hochgeladen',
  photos: 'Fotos',
  photo: 'Foto',
  photoBelow: (number) => `Foto ${number} unten`,
  notDrawn: 'Nicht gezeigt',
  omissions: {
    otherType: (contentType) => `${contentType} wird nur mit seinem Hash genannt`,
    tooMany: () => `ein Zertifikat zeigt nur die ersten ${MAX_PHOTOS} Fotos`,
    unreadable: () => 'die gespeicherte Datei lässt sich nicht lesen',
    changed: () => 'die gespeicherte Datei hat nicht diesen Hash',
    damaged: () => 'die Datei ist beschädigt oder zu groß',
  },
  howToVerify: 'So wird dieses Zertifikat geprüft',
  verify: (url) =>
    `Online: Öffnen Sie ${url}; die Seite zeigt, was der ausstellende Hub jetzt verzeichnet.
Offline: \`npm run hub -- verify-certificate DATEI --keys SCHLÜSSEL\` prüft die Ed25519-Signatur über jedes Byte dieser Datei, mit den öffentlichen Schlüsseln, die der Hub unter /.well-known/certificate-keys.json veröffentlicht.
Der Inhalt ist als certificate.json angehängt, und mit dem Hash jedes Anhangs lassen sich die ursprünglichen Dateien prüfen. Alle Zeiten sind UTC.`,
  names: {
    low: 'Niedrig',
    medium: 'Mittel',
    high: 'Hoch',
    critical: 'Kritisch',
    admin: 'Administrator',
    operator: 'Bediener',
    viewer: 'Betrachter',
  },
}

export type CertificateTexts = typeof en
export const CERTIFICATE_TEXTS: Record<Language, CertificateTexts> = { en, de }
