import { randomBytes, timingSafeEqual } from 'node:crypto'
import { sha256 } from '../../../support/secrets/hash.ts'

/** `hk`: API keys and credentials of agents; `he`: enrolment keys; `ht`: access tokens of programs. */
type KeyKind = 'hk' | 'he' | 'ht'

const SHAPE = /^(hk|he|ht)_([0-9a-z]{8})_[A-Za-z0-9_-]{43}$/

/** A new key of 256 random bits, its public prefix for the look-up, and the hash that is stored instead of the key. */
export function newKey(kind: KeyKind): { prefix: string; key: string; keyHash: string } {
  const prefix = Array.from(randomBytes(8), (byte) => '0123456789abcdefghijklmnopqrstuvwxyz'[byte % 36]).join('')
  const key = `${kind}_${prefix}_${randomBytes(32).toString('base64url')}`
  return { prefix, key, keyHash: sha256(key) }
}

/** The public prefix of a key of this kind; undefined for any other text. */
export const keyPrefix = (kind: KeyKind, key: string): string | undefined => {
  const [, given, prefix] = SHAPE.exec(key) ?? []
  return given === kind ? prefix : undefined
}

/** Compares in constant time. */
export const matchesHash = (key: string, keyHash: string): boolean =>
  timingSafeEqual(Buffer.from(keyHash), Buffer.from(sha256(key)))
