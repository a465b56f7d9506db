import type { Sql } from '../../../db/pools.ts'

/**
 * An agent can still report for a moment after its release, over an MQTT session that is about to end. One that reports later than this
 * uses a plain API key, because its credential is refused.
 */
const RELEASE_MS = 10_000

/** How an agent identifies itself, from what it reported last and from its credentials. */
export function credentialStatus(
  lastSeen: Date,
  found: { isEnrolled: boolean; revokedAt: string | null } | undefined,
): 'enrolled' | 'released' | 'api_key' {
  if (!found) return 'api_key'
  if (found.isEnrolled) return 'enrolled'
  const releasedUntil = found.revokedAt === null ? 0 : new Date(found.revokedAt).getTime() + RELEASE_MS
  return lastSeen.getTime() <= releasedUntil ? 'released' : 'api_key'
}

/** The released agents of all tenants, as `{tenant_id}/{agent_id}`. */
export async function releasedAgents(allTenants: Sql): Promise<Set<string>> {
  const rows = await allTenants<{ name: string }[]>`
    select k.tenant_id || '/' || k.agent_id as name
    from api_keys k left join agents a on a.tenant_id = k.tenant_id and a.agent_id = k.agent_id
    where k.agent_id is not null
    group by k.tenant_id, k.agent_id
    having not bool_or(k.is_active)
      and coalesce(max(a.last_seen) <= max(k.revoked_at) + make_interval(secs => ${RELEASE_MS / 1_000}), true)`
  return new Set(rows.map(({ name }) => name))
}
