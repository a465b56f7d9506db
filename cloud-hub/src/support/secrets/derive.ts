import { hkdfSync } from 'node:crypto'
import type { Secret } from '@haltless/edge-agent/secret'

/**
 * A key for one purpose, derived from SECRET_KEY. It reveals neither SECRET_KEY nor the key of another purpose.
 * @param purpose unique in this program, such as `secret-box`
 * @param salt separates keys of the same purpose, such as those of two database clusters
 * Source: RFC 5869 (HKDF, SHA-256)
 */
export const deriveKey = (secretKey: Secret, purpose: string, length: number, salt = ''): Buffer =>
  Buffer.from(hkdfSync('sha256', secretKey.reveal(), salt, `haltless/${purpose}/v1`, length))

/** Identifies a SECRET_KEY: HKDF output reveals nothing of the key. 32 hex digits. */
export const fingerprintOf = (secretKey: Secret): string => deriveKey(secretKey, 'secret-key-fingerprint', 16).toString('hex')
