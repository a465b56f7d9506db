import { lockAgentCredentials } from '../../../db/advisory-locks.ts'
import type { Sql, TransactionSql } from '../../../db/pools.ts'
import { actorSetting, type TenantScope } from '../../../db/scope.ts'
import { Forbidden, Unauthenticated } from '../../../support/errors.ts'
import { newKey } from './key-format.ts'

/**
 * A credential is an API key of one agent. A new one is pending: valid at once, beside the credential that the agent uses. Its first use
 * activates it and revokes the other one in the same transaction. So an answer that is lost on its way to the agent costs nothing: the agent
 * still has a credential that works, and the next exchange replaces the pending one. `api_keys` has at most one of both per agent.
 *
 * Each function locks the credentials of the agent before any row.
 */

/** A credential as the agent gets it, this once. */
export interface NewCredential {
  id: string
  credential: string
  createdAt: Date
}

/**
 * Issues a pending credential. The caller has locked the credentials of the agent and revoked the pending one.
 * @param from the enrolment key that this credential uses up when it is first used, null for a rotation; and the group that the agent gets
 */
export async function issueCredential(
  sql: TransactionSql,
  scope: TenantScope,
  agentId: string,
  from: { enrolmentKeyId: string | null; groupId: string | null },
): Promise<NewCredential> {
  const { key, prefix, keyHash } = newKey('hk')
  const createdAt = scope.clock.now()
  const [row] = await sql<{ id: string }[]>`
    insert into api_keys (tenant_id, name, prefix, key_hash, created_by, created_at, agent_id, enrolment_key_id, group_id)
    values (${scope.tenantId}, ${`agent ${agentId}`}, ${prefix}, ${keyHash}, ${scope.actor.id}, ${createdAt}, ${agentId}, ${from.enrolmentKeyId},
      ${from.groupId})
    returning id`
  if (!row) throw new Error('the insert returned no credential')
  return { id: row.id, credential: key, createdAt }
}

/**
 * Issues the next credential of the agent that calls. A pending one is replaced: the agent did not get it, or lost it.
 * @throws Forbidden for a plain API key, Unauthenticated when the credential of the caller was revoked meanwhile
 */
export async function rotateCredential(scope: TenantScope): Promise<NewCredential & { agentId: string }> {
  const { tenantId, actor } = scope
  const { agentId } = actor
  if (agentId === undefined)
    throw new Forbidden(
      'credential_required',
      'This agent uses a plain API key, which is not renewed. Enrol the agent to give it a credential of its own.',
    )
  return scope.tx(async (sql) => {
    await lockAgentCredentials(sql, tenantId, agentId)
    const [own] = await sql<{ groupId: string | null }[]>`
      select group_id as "groupId" from api_keys where tenant_id = ${tenantId} and id = ${actor.id} and is_active for update`
    if (!own) throw new Unauthenticated('api_key_invalid', 'The credential was revoked.', 'ApiKey')
    await sql`
      update api_keys set is_active = false, revoked_at = ${scope.clock.now()}
      where tenant_id = ${tenantId} and agent_id = ${agentId} and is_active and activated_at is null and id <> ${actor.id}`
    return { ...(await issueCredential(sql, scope, agentId, { enrolmentKeyId: null, groupId: own.groupId })), agentId }
  })
}

/**
 * Makes a pending credential the one of its agent: revokes the one before, and uses up the enrolment key that it came from. Idempotent.
 * @returns false when the credential was revoked meanwhile
 */
export function activateCredential(
  allTenants: Sql,
  key: { id: string; tenantId: string; agentId: string; name: string },
  now: Date,
  from: { ip: string | null; requestId: string | null },
): Promise<boolean> {
  const { id, tenantId, agentId, name } = key
  const actor = actorSetting({ kind: 'api_key', id, name, ...from })
  return allTenants.begin(async (sql) => {
    await sql`select set_config('app.actor', ${actor}, true)`
    await lockAgentCredentials(sql, tenantId, agentId)
    await sql`
      select from enrolment_keys where tenant_id = ${tenantId}
        and id = (select enrolment_key_id from api_keys where tenant_id = ${tenantId} and id = ${id}) for update`
    const [row] = await sql<{ enrolmentKeyId: string | null; isActivated: boolean }[]>`
      select enrolment_key_id as "enrolmentKeyId", activated_at is not null as "isActivated"
      from api_keys where tenant_id = ${tenantId} and id = ${id} and is_active for update`
    if (!row) return false
    if (row.isActivated) return true
    await sql`
      update api_keys set is_active = false, revoked_at = ${now}
      where tenant_id = ${tenantId} and agent_id = ${agentId} and is_active and id <> ${id}`
    await sql`update api_keys set activated_at = ${now} where tenant_id = ${tenantId} and id = ${id}`
    await sql`update agents set released_at = null where tenant_id = ${tenantId} and agent_id = ${agentId}`
    await sql`
      update enrolment_keys set used_at = ${now}, used_by_agent = ${agentId}
      where tenant_id = ${tenantId} and id = ${row.enrolmentKeyId} and used_at is null`
    return true
  }) as Promise<boolean>
}

/** Revokes all credentials of an agent, so that another computer can enrol as this agent at once. @returns how many there were */
export async function revokeCredentials(
  sql: TransactionSql,
  { tenantId, clock }: Pick<TenantScope, 'tenantId' | 'clock'>,
  agentId: string,
): Promise<number> {
  await lockAgentCredentials(sql, tenantId, agentId)
  const revoked = await sql`
    update api_keys set is_active = false, revoked_at = ${clock.now()}
    where tenant_id = ${tenantId} and agent_id = ${agentId} and is_active returning id`
  // Without its instance: otherwise the hub would refuse the next holder of the agent_id for two heartbeats, as a second live instance.
  if (revoked.length > 0)
    await sql`
      update agents set instance_id = null, released_at = ${clock.now()}
      where tenant_id = ${tenantId} and agent_id = ${agentId}`
  return revoked.length
}

/**
 * Refuses a credential where the request names another agent or none. A plain API key may name every agent of its tenant.
 * @throws Forbidden
 */
export function requireNamedAgent({ actor }: Pick<TenantScope, 'actor'>, named: string | undefined): void {
  const { agentId } = actor
  if (agentId === undefined || named === agentId) return
  throw new Forbidden(
    'credential_of_other_agent',
    named === undefined
      ? `This credential is valid only for the agent ${agentId}: send agent_id with the request.`
      : `This credential is valid only for the agent ${agentId}, not for ${named}. Enrol ${named} with an enrolment key of its own.`,
  )
}

/**
 * Refuses a plain API key that names an enrolled agent: with the polling sources of that agent it would get their passwords.
 * @throws Forbidden
 */
export async function refusePlainKeyOfEnrolled(
  allTenants: Sql,
  { tenantId, actor }: Pick<TenantScope, 'tenantId' | 'actor'>,
  agentId: string,
): Promise<void> {
  if (actor.agentId !== undefined || !(await hasCredentialInUse(allTenants, tenantId, agentId))) return
  throw new Forbidden(
    'credential_required',
    `The agent ${agentId} is enrolled and has a credential of its own. Use that, choose another agent_id, or have an admin release ${agentId}.`,
  )
}

/** Whether an agent is enrolled and has used its credential. */
export async function hasCredentialInUse(allTenants: Sql, tenantId: string, agentId: string): Promise<boolean> {
  const [row] = await allTenants`
    select from api_keys where tenant_id = ${tenantId} and agent_id = ${agentId} and is_active and activated_at is not null`
  return row !== undefined
}
