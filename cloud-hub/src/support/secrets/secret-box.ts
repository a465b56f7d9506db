import { createCipheriv, createDecipheriv, createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import type { Secret } from '@haltless/edge-agent/secret'
import { deriveKey, fingerprintOf } from './derive.ts'

/**
 * The SECRET_KEYs that a hub holds: one, and during a rotation the next one too. Which of them the database belongs to stands in the
 * database (`hub_identity`).
 */
export type SecretKeys = readonly [Secret, ...Secret[]]

/** Encrypts secrets for the database. It decrypts what was encrypted under any key that it holds. */
export interface SecretBox {
  /** fingerprint of the key that the database belongs to */
  readonly fingerprint: string
  /** fingerprints of the keys that it holds */
  readonly fingerprints: string[]
  /** fingerprint of the key that encrypts; empty: none, see `follow` */
  readonly sealingFingerprint: string
  /**
   * Encrypts a secret.
   * @param context its purpose and location, such as `channel:<tenant>:<id>:signing_secret`. A secret decrypts only under its own
   * context, so rows cannot be exchanged
   * @returns base64url; never the same twice
   */
  seal(plaintext: string, context: string): string
  /** A keyed hash (HMAC-SHA256, hex) for looking up secrets too short for a plain hash. A brute-force search needs SECRET_KEY. */
  mac(text: string, context: string): string
  /** The keyed hashes that a text may have been stored under: by each key that this box holds, and by each of `addMacKey`. */
  macs(text: string, context: string): string[]
  /** Decrypts a secret. @throws DecryptionError */
  open(sealed: string, context: string): string
  /**
   * Follows a rotation. A box that does not hold both keys encrypts nothing from then on, because nobody could decrypt it.
   * @param fingerprint of the key that the database belongs to, which `mac` uses
   * @param sealing of the key that encrypts from now on
   * @throws DecryptionError
   */
  follow(fingerprint: string, sealing: string): void
  /** The key of keyed hashes of the SECRET_KEY with this fingerprint: what outlives that key. Hex. */
  macKeyOf(fingerprint: string): string
  /** Also accepts keyed hashes of a SECRET_KEY that this box does not hold. */
  addMacKey(hex: string): void
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

/** What is derived from one SECRET_KEY. */
interface BoxKey {
  fingerprint: string
  /** a derivation independent of the key, which tells a wrong key from a damaged row */
  mark: Buffer
  // key objects: Node would convert bytes on each call
  key: KeyObject
  macKey: KeyObject
}

const boxKey = (secretKey: Secret): BoxKey => ({
  fingerprint: fingerprintOf(secretKey),
  mark: markOf(secretKey),
  key: createSecretKey(deriveKey(secretKey, 'secret-box', 32)),
  macKey: createSecretKey(deriveKey(secretKey, 'mac', 32)),
})

const markOf = (secretKey: Secret): Buffer => deriveKey(secretKey, 'secret-box-mark', MARK)

/** Identifies a SECRET_KEY for people: 8 hex digits, which backups and `doctor` print. */
export const keyMark = (secretKey: Secret): string => markOf(secretKey).toString('hex')

/** The first characters of all that is encrypted under a key, enough to tell it from other keys. They hold 28 of the 32 bits of its mark. */
export const sealedPrefix = (secretKey: Secret): string =>
  Buffer.concat([Buffer.of(VERSION), markOf(secretKey)]).toString('base64url').slice(0, 6)

/** AES-256-GCM with a key derived from SECRET_KEY (HKDF-SHA256, RFC 5869). SECRET_KEY itself encrypts nothing. The first key encrypts, until `follow`. */
export function createSecretBox(secretKeys: SecretKeys): SecretBox {
  const keys = secretKeys.map(boxKey)
  const macKeys = keys.map(({ macKey }) => macKey)
  const find = (fingerprint: string) => keys.find((key) => key.fingerprint === fingerprint)
  const notHeld = () => new DecryptionError('wrong_key', 'SECRET_KEY was changed. Restart this process with the new key.')
  let committed = keys[0] as BoxKey
  let sealing: BoxKey | null = committed
  const macBy = (key: KeyObject, text: string, context: string) =>
    createHmac('sha256', key)
      .update(bound(Buffer.of(VERSION), `${context}\0${text}`))
      .digest('hex')

  return {
    get fingerprint() {
      return committed.fingerprint
    },
    fingerprints: keys.map(({ fingerprint }) => fingerprint),
    get sealingFingerprint() {
      return sealing?.fingerprint ?? ''
    },
    follow(fingerprint, sealingFingerprint) {
      const [of, next] = [find(fingerprint), find(sealingFingerprint)]
      committed = of ?? committed
      sealing = (of && next) ?? null
      if (!sealing) throw notHeld()
    },
    mac: (text, context) => macBy(committed.macKey, text, context),
    macs: (text, context) => macKeys.map((key) => macBy(key, text, context)),
    macKeyOf(fingerprint) {
      const key = find(fingerprint)
      if (!key) throw notHeld()
      return key.macKey.export().toString('hex')
    },
    addMacKey(hex) {
      const key = createSecretKey(hex, 'hex')
      if (!macKeys.some((known) => known.equals(key))) macKeys.push(key)
    },
    seal(plaintext, context) {
      if (!sealing) throw notHeld()
      const { key, mark } = sealing
      const nonce = randomBytes(NONCE)
      const head = Buffer.concat([Buffer.of(VERSION), mark, nonce])
      const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG })
      cipher.setAAD(bound(head, context))
      return Buffer.concat([head, cipher.update(plaintext, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64url')
    },

    open(sealed, context) {
      const bytes = Buffer.from(sealed, 'base64url')
      const damaged = () =>
        new DecryptionError(
          'damaged',
          'A stored secret is damaged or belongs to another row. Restore it from a backup or enter it again.',
        )
      if (bytes.length < HEAD + TAG || bytes[0] !== VERSION) throw damaged()
      const mark = bytes.subarray(1, 1 + MARK)
      const own = keys.find((key) => key.mark.equals(mark))
      if (!own) {
        throw new DecryptionError(
          'wrong_key',
          'A stored secret was encrypted under another SECRET_KEY. Start the hub with the previous key.',
        )
      }
      const head = bytes.subarray(0, HEAD)
      const decipher = createDecipheriv('aes-256-gcm', own.key, head.subarray(1 + MARK), { authTagLength: TAG })
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
