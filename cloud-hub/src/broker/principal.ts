import { AgentId } from '@haltless/protocol'
import type { Pools } from '../db/pools.ts'
import { hasCredentialInUse, type SigningKeys, useApiKey } from '../features/people/accounts/index.ts'
import type { Clock } from '../support/clock.ts'

/** The identity of an MQTT connection. It comes from the credential alone; no payload names a tenant. */
export interface Principal {
  tenantId: string
  agentId: string
  /** the API key; revoking it ends the connection */
  keyId: string
  /** distinguishes two agents with the same agent_id: the agent's instance_id, or the MQTT client id without one */
  instance: string
  /** when the credential expires, Unix ms; null for an API key */
  expiresAt: number | null
}

/**
 * Checks user name and password. A heartbeat token takes the user name `{tenant_id}/{agent_id}` or the agent's id. An API key
 * takes the agent's id, or any text of its shape, but not the id of an enrolled agent; the credential of an agent takes the id of that agent.
 * @returns null for invalid credentials
 */
export async function authenticateClient(
  deps: { pools: Pools; keys: SigningKeys; clock: Clock },
  given: { username: string | undefined; password: string | undefined; clientId: string },
): Promise<Principal | null> {
  const { username, password, clientId } = given
  if (!username || !password) return null
  const agentId = AgentId.safeParse(username.includes('/') ? username.slice(username.indexOf('/') + 1) : username).data
  if (!agentId) return null
  const now = deps.clock.now()
  const principal = password.startsWith('hk_') ? await byApiKey() : await byToken()
  if (!principal || (username.includes('/') && !username.startsWith(`${principal.tenantId}/`))) return null
  return principal

  async function byApiKey(): Promise<Principal | null> {
    const key = await useApiKey(deps.pools.system, password as string, now, { ip: null, requestId: null })
    if (!key || (key.agentId ?? agentId) !== agentId) return null
    if (key.agentId === null && (await hasCredentialInUse(deps.pools.system, key.tenantId, agentId as string))) return null
    return { tenantId: key.tenantId, agentId: agentId as string, keyId: key.id, instance: clientId, expiresAt: null }
  }
  async function byToken(): Promise<Principal | null> {
    const claims = await deps.keys.mqtt.verify(password as string, now)
    if (!claims || claims.sub !== agentId) return null
    const found: Principal = {
      tenantId: String(claims.tid),
      agentId: agentId as string,
      keyId: String(claims.key),
      instance: String(claims.iid ?? clientId),
      expiresAt: Number(claims.exp) * 1000,
    }
    return (await stillValid(deps.pools, [found]))[0] ? found : null
  }
}

/**
 * Which of these may stay connected, in their order: their API key is active and that of their agent, or a plain one whose agent is not enrolled
 * by now. One query for all connections.
 */
export async function stillValid(pools: Pools, held: readonly Pick<Principal, 'keyId' | 'agentId'>[]): Promise<boolean[]> {
  const allTenants = pools.system
  const rows = await allTenants<{ n: number }[]>`
    select h.n::int from unnest(${held.map(({ keyId }) => keyId)}::uuid[], ${held.map(({ agentId }) => agentId)}::text[])
      with ordinality h(key_id, agent_id, n)
    join api_keys k on k.id = h.key_id and k.is_active
    where k.agent_id = h.agent_id or (k.agent_id is null and not exists (
      select from api_keys c
      where c.tenant_id = k.tenant_id and c.agent_id = h.agent_id and c.is_active and c.activated_at is not null))`
  const valid = new Set(rows.map(({ n }) => n))
  return held.map((_, i) => valid.has(i + 1))
}
