import { type KeyObject, sign, verify } from 'node:crypto'

/** A private Ed25519 key and its id. */
export interface FileSigner {
  kid: string
  privateKey: KeyObject
}

export type FileVerdict =
  | { isValid: true; kid: string }
  | { isValid: false; reason: 'unsigned' | 'appended' | 'unknown_key' | 'changed'; kid?: string }

const MARK = '%Haltless-Signature: '
/** 64 bytes in base64url */
const LINE = /^%Haltless-Signature: ([\w-]{1,64})\.([\w-]{86})\n$/
/** longest possible line */
const MAX_LINE = MARK.length + 64 + 1 + 86 + 1

/**
 * Appends a signature over every byte of a PDF, as a comment line after `%%EOF`, which PDF readers ignore. A program that saves the file
 * again removes or invalidates the line.
 */
export function signFile(pdf: Buffer, { kid, privateKey }: FileSigner): Buffer {
  const body = pdf.at(-1) === 0x0a ? pdf : Buffer.concat([pdf, Buffer.from('\n')])
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
  return isValid ? { isValid, kid } : { isValid, reason: 'changed', kid }
}
