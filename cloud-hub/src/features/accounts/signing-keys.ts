import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK, jwtVerify, SignJWT } from 'jose'
import type { Sql } from '../../db/pools.ts'
import type { SecretBox } from '../../support/secrets/secret-box.ts'

type Algorithm = 'EdDSA' | 'ES256'

/** A key pair that the hub made for itself, shared by its replicas through the database. */
export interface SigningKey {
  publicJwk: JWK
  sign(claims: Record<string, unknown>, expiresInSeconds: number, now: Date): Promise<string>
  /** the claims, or null when the signature, the issuer or the expiry does not hold */
  verify(token: string, now: Date): Promise<Record<string, unknown> | null>
}

export interface SigningKeys {
  /** EdDSA: access tokens */
  access: SigningKey
  /** ES256, which brokers that check JWTs understand: MQTT passwords of agents */
  mqtt: SigningKey
}

/** Loads the hub's keys, making each on the first start; of several replicas starting at once one makes it. */
export async function loadSigningKeys(sql: Sql, box: SecretBox): Promise<SigningKeys> {
  return {
    access: await loadKey(sql, box, 'access_token', 'EdDSA'),
    mqtt: await loadKey(sql, box, 'mqtt_token', 'ES256'),
  }
}

async function loadKey(sql: Sql, box: SecretBox, name: string, algorithm: Algorithm): Promise<SigningKey> {
  const stored = () =>
    sql<
      { public_key: string; sealed_private_key: string }[]
    >`select public_key, sealed_private_key from hub_keys where name = ${name}`
  let [row] = await stored()
  if (!row) {
    const pair = await generateKeyPair(algorithm, { extractable: true })
    const publicKey = JSON.stringify(await exportJWK(pair.publicKey))
    const sealed = box.seal(JSON.stringify(await exportJWK(pair.privateKey)), `hub_keys/${name}`)
    await sql`insert into hub_keys (name, public_key, sealed_private_key) values (${name}, ${publicKey}, ${sealed}) on conflict do nothing`
    ;[row] = await stored()
  }
  if (!row) throw new Error(`the hub key ${name} could not be stored`)
  const publicJwk = JSON.parse(row.public_key) as JWK
  const kid = await calculateJwkThumbprint(publicJwk)
  const publicKey = await importJWK(publicJwk, algorithm)
  const privateKey = await importJWK(JSON.parse(box.open(row.sealed_private_key, `hub_keys/${name}`)) as JWK, algorithm)
  return {
    publicJwk: { ...publicJwk, kid, alg: algorithm, use: 'sig' },
    sign: (claims, expiresInSeconds, now) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: algorithm, kid, typ: 'JWT' })
        .setIssuer('haltless')
        .setIssuedAt(Math.floor(now.getTime() / 1000))
        .setExpirationTime(Math.floor(now.getTime() / 1000) + expiresInSeconds)
        .sign(privateKey),
    verify: async (token, now) => {
      try {
        const { payload } = await jwtVerify(token, publicKey, { algorithms: [algorithm], issuer: 'haltless', currentDate: now })
        return payload
      } catch {
        return null
      }
    },
  }
}
