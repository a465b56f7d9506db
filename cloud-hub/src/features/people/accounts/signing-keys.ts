import {
  calculateJwkThumbprint,
  decodeProtectedHeader,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
  jwtVerify,
  SignJWT,
} from 'jose'
import type { Sql } from '../../../db/pools.ts'
import type { Clock } from '../../../support/clock.ts'
import { sha256 } from '../../../support/secrets/hash.ts'
import type { SecretBox } from '../../../support/secrets/secret-box.ts'

const ALGORITHMS = { access_token: 'EdDSA', mqtt_token: 'ES256' } as const
type KeyName = keyof typeof ALGORITHMS
const PREVIOUS = '.previous'
/** Minimum time between reloads: a token of an unknown key may use a new key, but forged tokens must not cause a query each. */
const RELOAD_EVERY_MS = 2_000

/** A key pair that the hub generated, shared by its replicas through the database. */
interface SigningKey {
  /** the public keys for verifiers: the current key, then the previous one */
  publicJwks(): JWK[]
  sign(claims: Record<string, unknown>, expiresInSeconds: number, now: Date): Promise<string>
  /** the claims, or null for an invalid signature or issuer, or an expired token */
  verify(token: string, now: Date): Promise<Record<string, unknown> | null>
  /** whether the key with this id (`keyIdOf` a token) is still valid */
  isCurrent(keyId: string | undefined): boolean
}

export interface SigningKeys {
  /** EdDSA: access tokens */
  access: SigningKey
  /** ES256, supported by brokers that check JWTs: MQTT passwords of agents */
  mqtt: SigningKey
  /** loads keys that another process rotated */
  reload(): Promise<void>
}

interface Pair {
  kid: string
  publicJwk: JWK
  publicKey: Awaited<ReturnType<typeof importJWK>>
  privateKey: Awaited<ReturnType<typeof importJWK>>
}

/** The id of the key that a token says it was signed with. @throws Error for what is no token */
export const keyIdOf = (token: string): string | undefined => decodeProtectedHeader(token).kid

/** Loads the hub's keys and creates missing ones. Of replicas that start together, one creates them. */
export async function loadSigningKeys(sql: Sql, box: SecretBox): Promise<SigningKeys> {
  const pairs = new Map<KeyName, Pair[]>()
  let reloadedAt = 0
  const reload = async () => {
    reloadedAt = Date.now()
    for (const name of Object.keys(ALGORITHMS) as KeyName[]) pairs.set(name, await loadPairs(sql, box, name))
  }
  for (const name of Object.keys(ALGORITHMS) as KeyName[]) await makeIfMissing(sql, box, name)
  await reload()

  const key = (name: KeyName): SigningKey => {
    const algorithm = ALGORITHMS[name]
    const all = () => pairs.get(name) as Pair[]
    const find = (kid: string | undefined) => all().find((pair) => pair.kid === kid)
    return {
      publicJwks: () => all().map((pair) => pair.publicJwk),
      sign: (claims, expiresInSeconds, now) => {
        const { kid, privateKey } = all()[0] as Pair
        return new SignJWT(claims)
          .setProtectedHeader({ alg: algorithm, kid, typ: 'JWT' })
          .setIssuer('haltless')
          .setIssuedAt(Math.floor(now.getTime() / 1000))
          .setExpirationTime(Math.floor(now.getTime() / 1000) + expiresInSeconds)
          .sign(privateKey)
      },
      isCurrent: (keyId) => find(keyId) !== undefined,
      verify: async (token, now) => {
        try {
          const kid = keyIdOf(token)
          if (!find(kid) && Date.now() - reloadedAt > RELOAD_EVERY_MS) await reload()
          const pair = find(kid)
          if (!pair) return null
          const options = { algorithms: [algorithm], issuer: 'haltless', currentDate: now }
          return (await jwtVerify(token, pair.publicKey, options)).payload
        } catch {
          return null
        }
      },
    }
  }
  return { access: key('access_token'), mqtt: key('mqtt_token'), reload }
}

const encryptionContext = (name: KeyName) => `hub_keys/${name}`

async function makePair(box: SecretBox, name: KeyName) {
  const pair = await generateKeyPair(ALGORITHMS[name], { extractable: true })
  return {
    public_key: JSON.stringify(await exportJWK(pair.publicKey)),
    sealed_private_key: box.seal(JSON.stringify(await exportJWK(pair.privateKey)), encryptionContext(name)),
  }
}

async function makeIfMissing(sql: Sql, box: SecretBox, name: KeyName): Promise<void> {
  const [there] = await sql`select 1 from hub_keys where name = ${name}`
  if (!there) await sql`insert into hub_keys ${sql({ name, ...(await makePair(box, name)) })} on conflict do nothing`
}

async function loadPairs(sql: Sql, box: SecretBox, name: KeyName): Promise<Pair[]> {
  const rows = await sql<{ public_key: string; sealed_private_key: string }[]>`
    select public_key, sealed_private_key from hub_keys where name in (${name}, ${name + PREVIOUS}) order by name`
  const algorithm = ALGORITHMS[name]
  return Promise.all(
    rows.map(async (row) => {
      const publicJwk = JSON.parse(row.public_key) as JWK
      const kid = await calculateJwkThumbprint(publicJwk)
      return {
        kid,
        publicJwk: { ...publicJwk, kid, alg: algorithm, use: 'sig' },
        publicKey: await importJWK(publicJwk, algorithm),
        privateKey: await importJWK(JSON.parse(box.open(row.sealed_private_key, encryptionContext(name))) as JWK, algorithm),
      }
    }),
  )
}

/**
 * Creates new signing keys. Tokens of the old ones stay valid until they expire. With `discardOld` users refresh or sign in
 * again, and agents get new passwords with their next heartbeat.
 */
export async function rotateSigningKeys(sql: Sql, box: SecretBox, discardOld: boolean): Promise<void> {
  for (const name of Object.keys(ALGORITHMS) as KeyName[]) {
    await makeIfMissing(sql, box, name)
    const made = await makePair(box, name)
    await sql.begin(async (tx) => {
      await tx`select 1 from hub_keys where name = ${name} for update`
      await tx`delete from hub_keys where name = ${name + PREVIOUS}`
      if (!discardOld)
        await tx`insert into hub_keys (name, public_key, sealed_private_key, created_at)
          select ${name + PREVIOUS}, public_key, sealed_private_key, created_at from hub_keys where name = ${name}`
      await tx`update hub_keys set ${tx(made)}, created_at = now() where name = ${name}`
    })
  }
}

const CACHED_TOKENS = 10_000

/** @returns the verified claims of an access token, null for an invalid one; it caches that the signature is right, nothing else */
export function cachedClaims(keys: SigningKeys, clock: Clock) {
  const verified = new Map<string, { claims: Record<string, unknown>; keyId: string | undefined; exp: number }>()
  return async (token: string): Promise<Record<string, unknown> | null> => {
    const hash = sha256(token)
    const now = clock.now()
    const known = verified.get(hash)
    if (known && known.exp * 1000 > now.getTime() && keys.access.isCurrent(known.keyId)) return known.claims
    verified.delete(hash)
    const claims = await keys.access.verify(token, now)
    if (!claims) return null
    if (verified.size >= CACHED_TOKENS) verified.delete(verified.keys().next().value as string)
    verified.set(hash, { claims, keyId: keyIdOf(token), exp: Number(claims.exp) })
    return claims
  }
}
