import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'

/** PostgreSQL's default (scram_iterations). */
const ITERATIONS = 4_096

/**
 * The verifier that PostgreSQL stores for a password, so that the password never reaches the server or its log.
 * @param password ASCII, so that SASLprep leaves it unchanged
 * @returns `SCRAM-SHA-256$4096:<salt>$<StoredKey>:<ServerKey>`
 * Source: RFC 5802 section 3; PostgreSQL, pg_authid.rolpassword
 */
export function scramVerifier(password: string, salt = randomBytes(16)): string {
  const salted = pbkdf2Sync(password, salt, ITERATIONS, 32, 'sha256')
  const hmac = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest()
  const storedKey = createHash('sha256').update(hmac(salted, 'Client Key')).digest('base64')
  const serverKey = hmac(salted, 'Server Key').toString('base64')
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${storedKey}:${serverKey}`
}
