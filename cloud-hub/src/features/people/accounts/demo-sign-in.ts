import { randomBytes } from 'node:crypto'
import type { Sql } from '../../../db/pools.ts'
import { sha256 } from '../../../support/secrets/hash.ts'
import type { TokenHolder } from './one-time-tokens.ts'
import type { SessionUser } from './sessions.ts'

const TOKEN_MS = 3_600_000

/**
 * The one-time token of the address that `npm start` prints. Only the demonstration gives its hub one; it is in the memory of that process
 * alone, as a hash.
 */
export class DemoSignIn {
  #offer: { hash: string; holder: TokenHolder; expiresAt: number } | null = null

  /** @returns a token that signs its holder in once, within an hour; an earlier one ends */
  offer(holder: TokenHolder, now: Date): string {
    const token = randomBytes(32).toString('base64url')
    this.#offer = { hash: sha256(token), holder, expiresAt: now.getTime() + TOKEN_MS }
    return token
  }

  /** @returns null for an unknown, used or expired token */
  take(token: string, now: Date): TokenHolder | null {
    const offer = this.#offer
    if (!offer || offer.hash !== sha256(token)) return null
    this.#offer = null
    return offer.expiresAt > now.getTime() ? offer.holder : null
  }
}

/** @returns undefined where a password would not be enough: the user turned on two-factor sign-in, or was deactivated */
export async function findDemoUser(sql: Sql, { tenantId, userId }: TokenHolder): Promise<SessionUser | undefined> {
  const [user] = await sql<SessionUser[]>`
    select tenant_id as "tenantId", id as "userId", email, role from users
    where tenant_id = ${tenantId} and id = ${userId} and is_active and not mfa_enabled`
  return user
}
