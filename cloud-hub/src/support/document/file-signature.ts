import { type KeyObject, sign, verify } from 'node:crypto'

/** A private Ed25519 key and its id. */
export interface FileSigner {
  kid: string
  privateKey: KeyObject
}

export type FileVerdict =
  /** `reference` is null for a file of version 1 */
  | { isValid: true; kid: string; reference: string | null }
  | { isValid: false; reason: 'unsigned' | 'appended' | 'unknown_key' | 'changed'; kid?: string }

/**
 * What the signature covers: in version 1 the PDF, in version 2 the PDF and this line with the reference of the document. Both end before
 * the line of the signature, so one check verifies both.
 */
const ABOUT = /\n%Haltless-Certificate: 2 ([\w-]{1,64})\n$/
const MAX_ABOUT = 100
const MARK = '%Haltless-Signature: '
/** 64 bytes in base64url */
const LINE = /^%Haltless-Signature: ([\w-]{1,64})\.([\w-]{86})\n$/
/** longest possible line */
const MAX_LINE = MARK.length + 64 + 1 + 86 + 1

/**
 * Appends the reference of a PDF and a signature over every byte before it, as comment lines after `%%EOF`, which PDF readers ignore. A
 * program that saves the file again removes or invalidates the lines.
 */
export function signFile(pdf: Buffer, { kid, privateKey }: FileSigner, reference: string): Buffer {
  const end = pdf.at(-1) === 0x0a ? '' : '\n'
  const body = Buffer.concat([pdf, Buffer.from(`${end}%Haltless-Certificate: 2 ${reference}\n`)])
  const signature = sign(null, body, privateKey).toString('base64url')
  return Buffer.concat([body, Buffer.from(`${MARK}${kid}.${signature}\n`)])
}

/** Checks the signature of a file. @param keys public Ed25519 keys by id: the current one and older ones */
export function verifyFile(file: Buffer, keys: ReadonlyMap<string, KeyObject>): FileVerdict {
  const at = file.lastIndexOf(MARK)
  if (at < 0) return { isValid: false, reason: 'unsigned' }
  const tail = file.subarray(at)
  const [, kid, signature] = (tail.length <= MAX_LINE && LINE.exec(tail.toString('latin1'))) || []
  if (kid === undefined || signature === undefined) return { isValid: false, reason: 'appended' }
  const key = keys.get(kid)
  if (!key) return { isValid: false, reason: 'unknown_key', kid }
  const bytes = Buffer.from(signature, 'base64url')
  // 86 characters hold 4 bits more than 64 bytes: only the spelling that was issued is the same file.
  const isValid = bytes.toString('base64url') === signature && verify(null, file.subarray(0, at), key, bytes)
  if (!isValid) return { isValid, reason: 'changed', kid }
  const [, reference = null] = ABOUT.exec(file.subarray(Math.max(0, at - MAX_ABOUT), at).toString('latin1')) ?? []
  return { isValid, kid, reference }
}
