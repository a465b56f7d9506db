import { createCipheriv, createECDH, type ECDH, hkdfSync, randomBytes } from 'node:crypto'

/** What a browser made when it subscribed. */
export interface BrowserKeys {
  /** its public key: an uncompressed point of P-256, 65 bytes */
  p256dh: Uint8Array
  /** the secret of the subscription, 16 bytes */
  auth: Uint8Array
}

const RECORD_SIZE = 4_096
/** The header is 86 bytes, the tag 16, the mark of the last record 1. */
export const MAX_PLAINTEXT_BYTES = RECORD_SIZE - 86 - 16 - 1

const hkdf = (secret: Uint8Array, salt: Uint8Array, info: Uint8Array | string, bytes: number) =>
  Buffer.from(hkdfSync('sha256', secret, salt, info, bytes))

/** A key pair for one message. */
export function messageKeys(): ECDH {
  const keys = createECDH('prime256v1')
  keys.generateKeys()
  return keys
}

/**
 * A push message that only this browser can read: one record of `aes128gcm`.
 * @param plaintext at most 3,993 bytes
 * @param sender,salt new ones for every message; given by tests only
 * @throws when `p256dh` is no point of the curve
 * Source: RFC 8291, 3.4 (key derivation) and RFC 8188, 2 (header: salt, record size, length of the key, key)
 */
export function encryptForBrowser(
  plaintext: Uint8Array,
  browser: BrowserKeys,
  sender = messageKeys(),
  salt = randomBytes(16),
): Buffer {
  const senderPublic = sender.getPublicKey()
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), browser.p256dh, senderPublic])
  const secret = hkdf(sender.computeSecret(browser.p256dh), browser.auth, info, 32)
  const key = hkdf(secret, salt, 'Content-Encoding: aes128gcm\0', 16)
  const nonce = hkdf(secret, salt, 'Content-Encoding: nonce\0', 12)
  const cipher = createCipheriv('aes-128-gcm', key, nonce)
  const sizes = Buffer.alloc(5)
  sizes.writeUInt32BE(RECORD_SIZE, 0)
  sizes.writeUInt8(senderPublic.length, 4)
  const lastRecord = Buffer.from([2])
  return Buffer.concat([
    salt,
    sizes,
    senderPublic,
    cipher.update(plaintext),
    cipher.update(lastRecord),
    cipher.final(),
    cipher.getAuthTag(),
  ])
}
