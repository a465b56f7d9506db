import { createPrivateKey, createPublicKey, createSecretKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'
import { calculateJwkThumbprint, type JWK } from 'jose'
import type { Sql } from '../../../db/pools.ts'
import type { FileSigner } from '../../../support/document/file-signature.ts'
import { DecryptionError, type SecretBox } from '../../../support/secrets/secret-box.ts'

/**
 * The hub's keys for evidence, encrypted in `hub_keys` as `<kind>.<key id>`: `signoff` is an HMAC-SHA256 key for sign-offs, `certificate` an
 * Ed25519 key for certificates. The newest of a kind signs. Older ones are never deleted, so that what they signed stays verifiable.
 * Signing and verifying are rare, so keys are read when needed, and a rotation needs no notice to other hubs.
 */
type KeyKind = 'signoff' | 'certificate'

interface KeyRow {
  name: string
  sealed: string
}

export interface SignoffKey {
  id: string
  key: KeyObject
}

const encryptionContext = (name: string) => `hub_keys/${name}`
const idOf = (name: string) => name.slice(name.indexOf('.') + 1)

const rowsOf = (sql: Sql, kind: KeyKind) => sql<KeyRow[]>`
  select name, sealed_private_key as sealed from hub_keys
  where starts_with(name, ${`${kind}.`}) order by created_at desc, name desc`

async function createKey(sql: Sql, box: SecretBox, kind: KeyKind): Promise<void> {
  const { id, publicKey, secret } = kind === 'signoff' ? newHmacKey() : await newKeyPair()
  const name = `${kind}.${id}`
  const sealed_private_key = box.seal(secret, encryptionContext(name))
  await sql`insert into hub_keys ${sql({ name, public_key: publicKey, sealed_private_key })}`
}

const newHmacKey = () => ({
  id: randomBytes(8).toString('hex'),
  publicKey: '',
  secret: randomBytes(32).toString('base64url'),
})

async function newKeyPair() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const jwk = publicKey.export({ format: 'jwk' }) as JWK
  const secret = JSON.stringify(privateKey.export({ format: 'jwk' }))
  return { id: await calculateJwkThumbprint(jwk), publicKey: JSON.stringify(jwk), secret }
}

/** The newest key of a kind. The first use creates it; hubs that do so at once create one each, and all of them verify. */
async function currentRow(sql: Sql, box: SecretBox, kind: KeyKind): Promise<KeyRow> {
  const [row] = await rowsOf(sql, kind)
  if (row) return row
  await createKey(sql, box, kind)
  return currentRow(sql, box, kind)
}

const secretOf = (box: SecretBox, { name, sealed }: KeyRow): string => box.open(sealed, encryptionContext(name))
const hmacKey = (secret: string) => createSecretKey(Buffer.from(secret, 'base64url'))

/** The key for new sign-offs. */
export async function currentSignoffKey(sql: Sql, box: SecretBox): Promise<SignoffKey> {
  const row = await currentRow(sql, box, 'signoff')
  return { id: idOf(row.name), key: hmacKey(secretOf(box, row)) }
}

/** The secrets of a kind by key id, newest first, without rows that only the owner of the database can have made or changed. */
async function secretsOf(sql: Sql, box: SecretBox, kind: KeyKind): Promise<[id: string, secret: string][]> {
  const secrets: [string, string][] = []
  for (const row of await rowsOf(sql, kind)) {
    try {
      secrets.push([idOf(row.name), secretOf(box, row)])
    } catch (error) {
      if (!(error instanceof DecryptionError)) throw error
    }
  }
  return secrets
}

/** All keys of sign-offs by id. A row that somebody changed is left out: its sign-offs do not verify. */
export async function signoffKeys(sql: Sql, box: SecretBox): Promise<Map<string, KeyObject>> {
  return new Map((await secretsOf(sql, box, 'signoff')).map(([id, secret]) => [id, hmacKey(secret)]))
}

/** The key that signs certificates. */
export async function currentFileSigner(sql: Sql, box: SecretBox): Promise<FileSigner> {
  const row = await currentRow(sql, box, 'certificate')
  return { kid: idOf(row.name), privateKey: createPrivateKey({ key: JSON.parse(secretOf(box, row)), format: 'jwk' }) }
}

/**
 * The public keys of certificates, newest first, as a JSON Web Key Set (RFC 7517). They are computed from the encrypted private keys: who
 * writes a public key of his own into the table makes no certificate verify.
 */
export async function certificateJwks(sql: Sql, box: SecretBox): Promise<{ keys: JWK[] }> {
  const secrets = await secretsOf(sql, box, 'certificate')
  return { keys: secrets.map(([kid, secret]) => ({ ...publicJwk(secret), kid, alg: 'EdDSA', use: 'sig' })) }
}

const publicJwk = (secret: string): JWK =>
  createPublicKey({ key: JSON.parse(secret), format: 'jwk' }).export({ format: 'jwk' }) as JWK

/** The public keys of a key set by id; keys of other kinds are left out. */
export function publicKeysOf({ keys }: { keys: JWK[] }): Map<string, KeyObject> {
  const usable = keys.filter(({ kid, kty, crv }) => kid !== undefined && kty === 'OKP' && crv === 'Ed25519')
  return new Map(usable.map((jwk) => [jwk.kid as string, createPublicKey({ key: jwk as never, format: 'jwk' })]))
}

/** Creates new keys for sign-offs and certificates. The old ones go on verifying. */
export async function rotateEvidenceKeys(sql: Sql, box: SecretBox): Promise<void> {
  await createKey(sql, box, 'signoff')
  await createKey(sql, box, 'certificate')
}
