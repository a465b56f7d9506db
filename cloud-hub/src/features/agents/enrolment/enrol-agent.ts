import type { Enrolment } from '@haltless/protocol'
import { lockAgentCredentials } from '../../../db/advisory-locks.ts'
import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { Conflict, Forbidden, NotFound, Unauthenticated } from '../../../support/errors.ts'
import { issueCredential, type NewCredential, requireUsable, revokeCredentials } from '../../people/accounts/index.ts'
import { recordEvent } from '../../people/audit/index.ts'

interface KeyState {
  agentId: string | null
  expiresAt: Date
  usedAt: Date | null
  usedByAgent: string | null
}

/** The enrolment key of the caller. @throws Unauthenticated when it was deleted, used or has expired since authentication */
async function loadKey(sql: TransactionSql, scope: TenantScope, lock: boolean): Promise<KeyState> {
  const [key] = await sql<KeyState[]>`
    select agent_id as "agentId", expires_at as "expiresAt", used_at as "usedAt", used_by_agent as "usedByAgent"
    from enrolment_keys where tenant_id = ${scope.tenantId} and id = ${scope.actor.id} ${lock ? sql`for update` : sql``}`
  if (!key) throw new Unauthenticated('enrolment_key_invalid', 'The enrolment key was deleted.', 'ApiKey')
  requireUsable(key, scope.clock.now())
  return key
}

/**
 * Locks the group that the enrolment key of the caller gives an agent. It comes before the lock of the key, as where a group is deleted.
 * @returns null for none, also where a hub of the version before deleted it and left its id in the key
 */
async function lockGroupOfKey(sql: TransactionSql, { tenantId, actor }: TenantScope): Promise<string | null> {
  const [group] = await sql<{ id: string }[]>`
    select g.id from machine_groups g
    where g.tenant_id = ${tenantId} and g.id = (select k.group_id from enrolment_keys k where k.tenant_id = ${tenantId} and k.id = ${actor.id})
    for key share`
  return group?.id ?? null
}

/** What the enrolment key of the caller allows. */
export const loadOffer = (scope: TenantScope): Promise<KeyState> => scope.read((sql) => loadKey(sql, scope, false))

/**
 * Exchanges the enrolment key of the caller for a credential. Until that credential is first used, a repetition replaces it, so an answer
 * that was lost costs nothing. Concurrent exchanges for one agent wait for each other.
 * @throws Unauthenticated, Forbidden, and Conflict for an agent with a valid credential
 */
export const enrolAgent = (scope: TenantScope, given: Enrolment): Promise<NewCredential> =>
  scope.tx(async (sql) => {
    const { tenantId, actor } = scope
    const { agent_id: agentId, ...details } = given
    await lockAgentCredentials(sql, tenantId, agentId)
    const groupId = await lockGroupOfKey(sql, scope)
    const key = await loadKey(sql, scope, true)
    if (key.agentId !== null && key.agentId !== agentId)
      throw new Forbidden(
        'enrolment_key_of_other_agent',
        `This enrolment key enrols only the agent ${key.agentId}, not ${agentId}. Use that agent_id, or another key.`,
      )
    // Of any agent_id: a key enrols one agent, also when it was exchanged under a wrong name first.
    await sql`
      update api_keys set is_active = false, revoked_at = ${scope.clock.now()}
      where tenant_id = ${tenantId} and enrolment_key_id = ${actor.id} and is_active and activated_at is null`
    const [valid] = await sql<{ isUsed: boolean }[]>`
      select activated_at is not null as "isUsed" from api_keys
      where tenant_id = ${tenantId} and agent_id = ${agentId} and is_active order by activated_at nulls last limit 1`
    if (valid)
      throw new Conflict(
        'agent_enrolled',
        `The agent ${agentId} ${valid.isUsed ? 'is enrolled' : 'has a credential that it has not used yet, and that expires after 7 days'}. Choose another agent_id, or have an admin release ${agentId} first: POST /api/v1/agent/fleet/${agentId}/release`,
      )
    const issued = await issueCredential(sql, scope, agentId, { enrolmentKeyId: actor.id, groupId })
    // An agent that never reported gets it with its first heartbeat.
    if (groupId) await sql`update agents set group_id = ${groupId} where tenant_id = ${tenantId} and agent_id = ${agentId}`
    await recordEvent(sql, tenantId, actor, 'agent.enrolled', { type: 'agent', id: agentId, name: agentId }, details)
    return issued
  })

/**
 * Releases an agent: revokes its credentials, so that the agent_id can be enrolled again. Repeating it changes nothing.
 * @throws NotFound for an agent_id that never reported and was never enrolled
 */
export const releaseAgent = (scope: TenantScope, agentId: string): Promise<void> =>
  scope.tx(async (sql) => {
    const { tenantId, actor } = scope
    const revoked = await revokeCredentials(sql, scope, agentId)
    if (revoked > 0) return recordEvent(sql, tenantId, actor, 'agent.released', { type: 'agent', id: agentId, name: agentId })
    const [known] = await sql`
      select from agents where tenant_id = ${tenantId} and agent_id = ${agentId}
      union all
      select from api_keys where tenant_id = ${tenantId} and agent_id = ${agentId} limit 1`
    if (!known) throw new NotFound('agent', agentId)
  })
