import type { Clock } from '../../../support/clock.ts'
import { sha256 } from '../../../support/secrets/hash.ts'
import { keyIdOf, type SigningKeys } from './signing-keys.ts'

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
