import type { Sql } from '../../../db/pools.ts'
import type { Clock } from '../../../support/clock.ts'
import { Unauthenticated } from '../../../support/errors.ts'
import { clientOf } from '../../../support/http/client-ip.ts'
import { sha256 } from '../../../support/secrets/hash.ts'
import { keyPrefix, matchesHash, newKey } from './key-format.ts'
import { countFailure, refuseLockedOut } from './throttle.ts'

export interface EnrolmentKeyPrincipal {
  id: string
  name: string
  tenantId: string
  tier: string
  /** of a key that was used or has expired */
  refusal: Unauthenticated | null
}

interface EnrolmentKeyState {
  usedAt: Date | null
  usedByAgent: string | null
  expiresAt: Date
}

/** A new enrolment key; see {@link newKey}. */
export const newEnrolmentKey = () => newKey('he')

/** @throws Unauthenticated for a key that was used or has expired */
export function requireUsable(key: EnrolmentKeyState, now: Date): void {
  const refusal = refusalOf(key, now)
  if (refusal) throw refusal
}

function refusalOf({ usedAt, usedByAgent, expiresAt }: EnrolmentKeyState, now: Date): Unauthenticated | null {
  if (usedAt)
    return new Unauthenticated(
      'enrolment_key_used',
      `This enrolment key enrolled the agent ${usedByAgent} on ${usedAt.toISOString()} and enrols no other. Create a new key.`,
      'ApiKey',
    )
  if (expiresAt <= now)
    return new Unauthenticated(
      'enrolment_key_expired',
      `This enrolment key expired on ${expiresAt.toISOString()}. Create a new key.`,
      'ApiKey',
    )
  return null
}

/**
 * Finds the tenant of an enrolment key. Unknown keys count by network address, like failed sign-ins but apart from them: a box with a
 * wrong key must not lock out the people behind the same address.
 * @throws Unauthenticated for an unknown or deleted key; TooManyRequests after 10 unknown keys in 10 minutes
 */
export async function verifyEnrolmentKey(allTenants: Sql, clock: Clock, key: string, ip: string): Promise<EnrolmentKeyPrincipal> {
  const subjects = [`enrolment:${sha256(clientOf(ip))}`]
  await refuseLockedOut(allTenants, clock, subjects)
  const prefix = keyPrefix('he', key)
  const [row] = prefix
    ? await allTenants<(Omit<EnrolmentKeyPrincipal, 'refusal'> & EnrolmentKeyState & { keyHash: string })[]>`
        select k.id, k.name, k.tenant_id as "tenantId", k.key_hash as "keyHash", t.subscription_tier as tier,
          k.used_at as "usedAt", k.used_by_agent as "usedByAgent", k.expires_at as "expiresAt"
        from enrolment_keys k join tenants t on t.id = k.tenant_id where k.prefix = ${prefix}`
    : []
  if (!row || !matchesHash(key, row.keyHash)) {
    await countFailure(allTenants, clock, subjects)
    throw new Unauthenticated(
      'enrolment_key_invalid',
      key.startsWith('hk_')
        ? 'This is an API key. Enrolling needs an enrolment key, which begins with he_.'
        : 'The enrolment key is unknown or was deleted.',
      'ApiKey',
    )
  }
  return { id: row.id, name: row.name, tenantId: row.tenantId, tier: row.tier, refusal: refusalOf(row, clock.now()) }
}
