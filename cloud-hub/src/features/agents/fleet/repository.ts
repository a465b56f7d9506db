import { randomUUID } from 'node:crypto'
import type { AgentCheckAnswer } from '@haltless/protocol'
import { columns } from '../../../db/columns.ts'
import type { Sql, TransactionSql } from '../../../db/pools.ts'
import { commonWireVersions } from '../../../db/replicas.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { qualified } from '../../../db/sql.ts'
import type { agents } from '../../../db/tables/agents.ts'
import type { agentSources } from '../../../db/tables/sources.ts'
import { Conflict, NotFound } from '../../../support/errors.ts'
import { revokeCredentials } from '../../people/accounts/index.ts'
import { recordEvent } from '../../people/audit/index.ts'
import { groupsBelow, lockGroup } from '../../plant/machine-groups/index.ts'
import { leaveRollout, newestVersion } from '../updates/index.ts'
import { credentialStatus } from './credential-status.ts'
import type { DirectivesFacts } from './heartbeat.ts'

/** The state of an agent's polling sources. */
export type SourceSet = Pick<typeof agentSources.$inferSelect, 'revision' | 'runningRevision' | 'fault' | 'revisionFault'>

type AgentRow = typeof agents.$inferSelect & { groupName: string | null }

const AGENT_COLUMNS = `${qualified(columns.agents, 'a')},
  (select g.name from machine_groups g where g.tenant_id = a.tenant_id and g.id = a.group_id) as "groupName"`

export async function directivesFacts(allTenants: Sql, tenantId: string): Promise<DirectivesFacts> {
  const [row] = await allTenants<DirectivesFacts[]>`
    select subscription_status as status, ${newestVersion(allTenants)} as "newestRelease",
      ${commonWireVersions(allTenants)} as "wireVersions"
    from tenants where id = ${tenantId}`
  return row ?? { status: 'canceled', newestRelease: null, wireVersions: [] }
}

/** The agents of a group and of those below it, or all of the tenant, by their id, each with its set of polling sources. */
export async function listAgents(scope: TenantScope, { groupId, agentId }: { groupId?: string | undefined; agentId?: string }) {
  const { tenantId } = scope
  const [rows, sets, credentials] = await scope.read((sql) =>
    Promise.all([
      sql<AgentRow[]>`select ${sql.unsafe(AGENT_COLUMNS)} from agents a where a.tenant_id = ${tenantId}
        ${groupId ? sql`and a.group_id in (${groupsBelow(sql, tenantId, groupId)})` : sql``}
        ${agentId ? sql`and a.agent_id = ${agentId}` : sql``}
        order by a.agent_id`,
      sql<(SourceSet & { agentId: string })[]>`
        select agent_id as "agentId", revision::float8 as revision, running_revision::float8 as "runningRevision", fault,
          revision_fault as "revisionFault"
        from agent_sources where tenant_id = ${tenantId}`,
      sql<{ agentId: string }[]>`
        select agent_id as "agentId" from api_keys where tenant_id = ${tenantId} and agent_id is not null and is_active`,
    ]),
  )
  const enrolled = new Set(credentials.map(({ agentId }) => agentId))
  const setOf = new Map<string, SourceSet>(sets.map((set) => [set.agentId, set]))
  return rows.map((agent) => ({
    ...agent,
    sources: setOf.get(agent.agentId),
    credential: credentialStatus(agent, enrolled.has(agent.agentId)),
  }))
}

/** @throws NotFound */
export async function findAgent(scope: TenantScope, { agent_id: agentId }: { agent_id: string }) {
  const [row] = await listAgents(scope, { agentId })
  if (!row) throw new NotFound('agent', agentId)
  return row
}

/** Locks an agent until the end of the transaction. */
export const lockAgent = (sql: TransactionSql, { tenantId }: TenantScope, { agent_id }: { agent_id: string }) =>
  sql`select 1 from agents where tenant_id = ${tenantId} and agent_id = ${agent_id} for update`

/** Gives an agent another group. @param groupId null: none @throws NotFound for an unknown agent or group */
export const changeGroupOfAgent = (scope: TenantScope, agentId: string, groupId: string | null): Promise<void> =>
  scope.tx(async (sql) => {
    const { tenantId, actor } = scope
    if (groupId) await lockGroup(sql, scope, groupId)
    const [agent] = await sql<{ groupId: string | null }[]>`
      select group_id as "groupId" from agents where tenant_id = ${tenantId} and agent_id = ${agentId} for update`
    if (!agent) throw new NotFound('agent', agentId)
    if (agent.groupId === groupId) return
    await sql`update agents set group_id = ${groupId} where tenant_id = ${tenantId} and agent_id = ${agentId}`
    const target = { type: 'agent', id: agentId, name: agentId }
    await recordEvent(sql, tenantId, actor, 'agent.updated', target, { group_id: groupId })
  })

/** The machines with these identifiers, in the given order, and whether readings of them are stored. */
export async function machineStates(
  allTenants: Sql,
  tenantId: string,
  identifiers: readonly string[],
): Promise<AgentCheckAnswer['machines']> {
  const rows = await allTenants<{ id: string; identifier: string; isActive: boolean }[]>`
    select id, machine_identifier as identifier, is_active as "isActive" from machines
    where tenant_id = ${tenantId} and machine_identifier = any(${identifiers as string[]})`
  const known = new Map(rows.map((row) => [row.identifier, row]))
  return identifiers.map((machine_identifier) => {
    const { id: machine_id = null, isActive } = known.get(machine_identifier) ?? {}
    const status = isActive === undefined ? 'unknown' : isActive ? 'active' : 'inactive'
    return { machine_identifier, machine_id, status }
  })
}

/**
 * Requests that an agent sends its rejected readings once more. A request that it has not executed yet stays as it is.
 * @returns when it was requested
 * @throws NotFound
 */
export async function requestRequeue(scope: TenantScope, agentId: string): Promise<Date> {
  const now = scope.clock.now()
  return scope.tx(async (sql) => {
    const [row] = await sql<{ at: Date }[]>`
      update agents set requeue_id = coalesce(requeue_id, ${randomUUID()}), requeue_requested_at = coalesce(requeue_requested_at, ${now})
      where tenant_id = ${scope.tenantId} and agent_id = ${agentId} returning requeue_requested_at as at`
    if (!row) throw new NotFound('agent', agentId)
    await recordEvent(sql, scope.tenantId, scope.actor, 'agent.requeue_requested', { type: 'agent', id: agentId, name: agentId })
    return row.at
  })
}

/**
 * Takes an agent that is gone off the list, and revokes its credentials.
 * @throws NotFound, Conflict for an agent that reported within two heartbeats
 */
export async function retireAgent(scope: TenantScope, agentId: string, heartbeatSeconds: number): Promise<void> {
  const { tenantId, actor, clock } = scope
  const now = clock.now()
  const gone = new Date(now.getTime() - 2 * heartbeatSeconds * 1_000)
  await scope.tx(async (sql) => {
    await revokeCredentials(sql, scope, agentId)
    const [agent] = await sql<{ lastSeen: Date; retiredAt: Date | null }[]>`
      select last_seen as "lastSeen", retired_at as "retiredAt" from agents
      where tenant_id = ${tenantId} and agent_id = ${agentId} for update`
    if (!agent) throw new NotFound('agent', agentId)
    if (agent.lastSeen > gone)
      throw new Conflict(
        'agent_online',
        `The agent ${agentId} reported at ${agent.lastSeen.toISOString()}. Stop it first, and wait ${2 * heartbeatSeconds} s.`,
      )
    if (agent.retiredAt) return
    await leaveRollout(sql, tenantId, agentId, now)
    await sql`update agents set retired_at = ${now} where tenant_id = ${tenantId} and agent_id = ${agentId}`
    await recordEvent(sql, tenantId, actor, 'agent.retired', { type: 'agent', id: agentId, name: agentId })
  })
}
