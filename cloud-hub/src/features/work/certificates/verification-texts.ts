import { type Language, languageOf } from '@haltless/protocol/languages'

/** The texts of the verification page. */
export interface VerificationTexts {
  title: string
  allValid: string
  someInvalid: string
  unsigned: string
  reopened: string
  unknown: string
  tooMany: string
  away: string
  workOrder: string
  organisation: string
  machine: string
  completed: string
  signature: string
  valid: string
  notValid: string
}

const en: VerificationTexts = {
  title: 'Verification of a certificate',
  allValid: 'The hub has this record, and all signatures are valid. Compare it with the document that you hold.',
  someInvalid: 'The record or a signature was changed after signing. Do not rely on the document.',
  unsigned: 'The hub has this record. The work order is completed and not signed.',
  reopened: 'The work order of this certificate is no longer completed. The document does not show its present state.',
  unknown: 'This hub has issued no certificate with this reference.',
  tooMany: 'Too many requests: wait a minute and reload the page.',
  away: 'The hub cannot answer at the moment: reload the page in a few seconds.',
  workOrder: 'Work order',
  organisation: 'Organisation',
  machine: 'Machine',
  completed: 'Completed',
  signature: 'Signature',
  valid: 'valid',
  notValid: 'not valid',
}

const de: VerificationTexts = {
  title: 'Prüfung eines Zertifikats',
  allValid:
    'Der Hub hat diesen Eintrag, und alle Unterschriften sind gültig. Vergleichen Sie ihn mit dem Dokument, das Ihnen vorliegt.',
  someInvalid:
    'Der Eintrag oder eine Unterschrift wurde nach dem Unterschreiben geändert. Verlassen Sie sich nicht auf das Dokument.',
  unsigned: 'Der Hub hat diesen Eintrag. Der Auftrag ist abgeschlossen und nicht unterschrieben.',
  reopened: 'Der Auftrag dieses Zertifikats ist nicht mehr abgeschlossen. Das Dokument zeigt nicht seinen jetzigen Stand.',
  unknown: 'Dieser Hub hat kein Zertifikat mit dieser Referenz ausgestellt.',
  tooMany: 'Zu viele Anfragen: Warten Sie eine Minute, und laden Sie die Seite neu.',
  away: 'Der Hub kann gerade nicht antworten: Laden Sie die Seite in einigen Sekunden neu.',
  workOrder: 'Auftrag',
  organisation: 'Organisation',
  machine: 'Maschine',
  completed: 'Abgeschlossen',
  signature: 'Unterschrift',
  valid: 'gültig',
  notValid: 'nicht gültig',
}

const TEXTS: Record<Language, VerificationTexts> = { en, de }

/** The browser's language, or English. */
export function verificationTexts(acceptLanguage: string | undefined): { language: Language; texts: VerificationTexts } {
  const language = languageOf(acceptLanguage?.split(',')[0]?.trim())
  return { language, texts: TEXTS[language] }
}
