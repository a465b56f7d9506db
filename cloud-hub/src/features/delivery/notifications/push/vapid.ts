import { exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose'
import type { Sql } from '../../../../db/pools.ts'
import type { SecretBox } from '../../../../support/secrets/secret-box.ts'

/** The key that identifies this hub to push services. Browsers subscribe with it, so it is never rotated. */
export interface VapidKey {
  /** uncompressed point of P-256, base64url: what a browser's `applicationServerKey` takes */
  publicKey: string
  /** the `authorization` header of a message to this endpoint */
  authorization(endpoint: string, now: Date): Promise<string>
}

const NAME = 'vapid'
const SEALED_FOR = `hub_keys/${NAME}`
/** Services take at most 24 hours. */
const EXPIRES_SECONDS = 12 * 3_600

/**
 * Loads the hub's key and creates it on the first start; concurrent replicas create one.
 * @param contact the https: or mailto: address of the operator, for push services
 * Source: RFC 8292, 2 (claims) and 3 (`vapid t=..., k=...`)
 */
export async function loadVapidKey(sql: Sql, box: SecretBox, contact: string): Promise<VapidKey> {
  const [there] = await sql`select 1 from hub_keys where name = ${NAME}`
  if (!there) {
    const pair = await generateKeyPair('ES256', { extractable: true })
    const made = {
      name: NAME,
      public_key: JSON.stringify(await exportJWK(pair.publicKey)),
      sealed_private_key: box.seal(JSON.stringify(await exportJWK(pair.privateKey)), SEALED_FOR),
    }
    await sql`insert into hub_keys ${sql(made)} on conflict do nothing`
  }
  const [row] = await sql<[{ public_key: string; sealed_private_key: string }]>`
    select public_key, sealed_private_key from hub_keys where name = ${NAME}`
  const { x = '', y = '' } = JSON.parse(row.public_key) as JWK
  const publicKey = Buffer.concat([Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]).toString(
    'base64url',
  )
  const privateKey = await importJWK(JSON.parse(box.open(row.sealed_private_key, SEALED_FOR)) as JWK, 'ES256')
  return {
    publicKey,
    authorization: async (endpoint, now) => {
      const token = await new SignJWT({ aud: new URL(endpoint).origin, sub: contact })
        .setProtectedHeader({ typ: 'JWT', alg: 'ES256' })
        .setExpirationTime(Math.floor(now.getTime() / 1000) + EXPIRES_SECONDS)
        .sign(privateKey)
      return `vapid t=${token}, k=${publicKey}`
    },
  }
}

/** The operator's contact: the hub's URL, or the address that sends mails. */
export function vapidContact(publicUrl: string, mailFrom: string): string {
  if (publicUrl.startsWith('https://')) return publicUrl
  return `mailto:${/<([^<>]+)>/.exec(mailFrom)?.[1] ?? mailFrom.trim()}`
}
