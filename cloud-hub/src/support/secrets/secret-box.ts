import { createCipheriv, createDecipheriv, createHmac, createSecretKey, randomBytes } from 'node:crypto'
import { deriveKey } from './derive.ts'
import type { Secret } from '@haltless/edge-agent/secret'

/** Encrypts secrets for the database. */
export interface SecretBox {
  /** identifies the key without revealing it; hex */
  readonly mark: string
  /**
   * Encrypts a secret.
   * @param context its purpose and location, such as `channel:<tenant>:<id>:signing_secret`. A secret decrypts only under its own
   * context, so rows cannot be exchanged
   * @returns base64url; never the same twice
   */
  seal(plaintext: string, context: string): string
  /** A keyed hash (HMAC-SHA256, hex) for looking up secrets too short for a plain hash. A brute-force search needs SECRET_KEY. */
  mac(text: string, context: string): string
  /** Decrypts a secret. @throws DecryptionError */
  open(sealed: string, context: string): string
}

/**
 * A secret cannot be decrypted. `wrong_key`: it was encrypted under another SECRET_KEY. `damaged`: it was changed, truncated, or
 * belongs to another context.
 */
export class DecryptionError extends Error {
  override name = 'DecryptionError'
  readonly code: 'wrong_key' | 'damaged'
  constructor(code: DecryptionError['code'], message: string) {
    super(message)
    this.code = code
  }
}

const VERSION = 1
// Layout: version, mark of the key, then nonce and tag of AES-GCM (NIST SP 800-38D, 8.2.2: random nonces, safe for 2^32
// messages).
const [MARK, NONCE, TAG] = [4, 12, 16]
const HEAD = 1 + MARK + NONCE

/** AES-256-GCM with a key derived from SECRET_KEY (HKDF-SHA256, RFC 5869). SECRET_KEY itself encrypts nothing. */
export function createSecretBox(secretKey: Secret): SecretBox {
  // A key object: Node would convert bytes on each call.
  const key = createSecretKey(deriveKey(secretKey, 'secret-box', 32))
  // A second derivation, independent of the key, which tells a wrong key from a damaged row.
  const mark = deriveKey(secretKey, 'secret-box-mark', MARK)
  const macKey = createSecretKey(deriveKey(secretKey, 'mac', 32))

  return {
    mark: mark.toString('hex'),
    mac: (text, context) =>
      createHmac('sha256', macKey)
        .update(bound(Buffer.of(VERSION), `${context}\0${text}`))
        .digest('hex'),
    seal(plaintext, context) {
      const nonce = randomBytes(NONCE)
      const head = Buffer.concat([Buffer.of(VERSION), mark, nonce])
      const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG })
      cipher.setAAD(bound(head, context))
      return Buffer.concat([head, cipher.update(plaintext, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64url')
    },

    open(sealed, context) {
      const bytes = Buffer.from(sealed, 'base64url')
      const damaged = () => new DecryptionError('damaged', 'A stored secret is damaged or belongs to another row. Restore it from a backup or enter it again.')
      if (bytes.length < HEAD + TAG || bytes[0] !== VERSION) throw damaged()
      if (!bytes.subarray(1, 1 + MARK).equals(mark)) {
        throw new DecryptionError(
          'wrong_key',
          'A stored secret was encrypted under another SECRET_KEY. Start the hub with the previous key.',
        )
      }
      const head = bytes.subarray(0, HEAD)
      const decipher = createDecipheriv('aes-256-gcm', key, head.subarray(1 + MARK), { authTagLength: TAG })
      decipher.setAAD(bound(head, context))
      decipher.setAuthTag(bytes.subarray(-TAG))
      try {
        return Buffer.concat([decipher.update(bytes.subarray(HEAD, -TAG)), decipher.final()]).toString('utf8')
      } catch {
        throw damaged()
      }
    },
  }
}

/** The head has a fixed length, so the concatenation with the context is unambiguous. */
const bound = (head: Buffer, context: string) => Buffer.concat([head, Buffer.from(context, 'utf8')])
