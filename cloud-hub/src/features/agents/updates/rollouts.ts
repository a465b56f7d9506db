import { type Fault, fault } from '@haltless/protocol'
import { isUniqueViolation } from '../../../db/errors.ts'
import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import type { RolloutAgentState, RolloutState } from '../../../db/tables/rollouts.ts'
import { Conflict, NotFound } from '../../../support/errors.ts'
import { recordEvent } from '../../people/audit/index.ts'
import { advance, lockRollout } from './progress.ts'
import { findRelease } from './releases.ts'
import { type Candidate, type Skipped, selectForRollout } from './selection.ts'

export interface RolloutRow {
  id: string
  version: string
  waveSizes: number[]
  stopAfterFailures: number
  spreadSeconds: number
  state: RolloutState
  reason: string | null
  fault: Fault | null
  wave: number
  waves: number
  failures: number
  createdBy: string
  createdAt: Date
  endedAt: Date | null
  /** agents by state */
  counts: Partial<Record<RolloutAgentState, number>>
}

export interface RolloutAgentRow {
  agentId: string
  wave: number
  state: RolloutAgentState
  since: Date
  reason: string | null
  fault: Fault | null
  fromVersion: string
  receivedBytes: number | null
}

export interface NewRollout {
  version: string
  /** null: all that are not retired */
  agentIds: readonly string[] | null
  waveSizes: readonly number[]
  stopAfterFailures: number
  spreadSeconds: number
}

/** Starts a rollout: its first wave begins at once. @returns its id. @throws NotFound, Conflict */
export async function createRollout(scope: TenantScope, given: NewRollout): Promise<string> {
  const { tenantId, actor, clock } = scope
  const now = clock.now()
  try {
    return await scope.tx(async (sql) => {
      const release = await findRelease(sql, given.version)
      if (!release) throw new NotFound('agent release', given.version)
      const { manifest } = release
      if (Date.parse(manifest.expires_at) <= now.getTime())
        throw new Conflict(
          'release_expired',
          `The release ${given.version} expired at ${manifest.expires_at}: no agent would install it.`,
        )
      const selected = selectForRollout(await candidates(sql, tenantId, given.agentIds), manifest, given.waveSizes)
      if (!selected.some(({ skipped }) => skipped === null))
        throw new Conflict('no_agent_to_update', nobody(selected), {
          reason: selected[0]?.skipped
            ? (selected[0].skipped.fault ?? selected[0].skipped.text)
            : fault('rollout_without_agents'),
        })
      const [rollout] = await sql<[{ id: string }]>`
        insert into agent_rollouts (tenant_id, version, wave_sizes, stop_after_failures, spread_seconds, state, wave, wave_began_at, created_by, created_at)
        values (${tenantId}, ${given.version}, ${given.waveSizes as number[]}, ${given.stopAfterFailures}, ${given.spreadSeconds}, 'running', 0, ${now},
          ${actor.name}, ${now}) returning id`
      await sql`
        insert into agent_rollout_agents (tenant_id, rollout_id, agent_id, wave, state, since, reason, fault, from_version)
        select ${tenantId}, ${rollout.id}, agent_id, wave, case when reason is null then 'pending' else 'skipped' end, ${now}, reason, fault::jsonb, from_version
        from unnest(${selected.map(({ agentId }) => agentId)}::text[], ${selected.map(({ wave }) => wave)}::int[],
          ${selected.map(({ skipped }) => skipped?.text ?? null)}::text[], ${selected.map(({ skipped }) => (skipped?.fault ? JSON.stringify(skipped.fault) : null))}::text[],
          ${selected.map(({ fromVersion }) => fromVersion)}::text[]) as t (agent_id, wave, reason, fault, from_version)`
      await advance(sql, { tenantId, rolloutId: rollout.id }, now)
      const agents = selected.filter(({ skipped }) => skipped === null).length
      await recordEvent(sql, tenantId, actor, 'rollout.created', targetOf(rollout.id, given.version), {
        agents,
        wave_sizes: given.waveSizes,
      })
      return rollout.id
    })
  } catch (error) {
    if (!isUniqueViolation(error, 'agent_rollout_agents_open_key')) throw error
    const busy = await scope.read((sql) => busyAgents(sql, tenantId, given.agentIds))
    throw new Conflict(
      'agent_in_rollout',
      `These agents are part of another rollout that has not ended: ${busy.join(', ') || 'some'}. Wait for it, cancel it, or leave them out.`,
      { agents: busy.join(', ') },
    )
  }
}

const targetOf = (id: string, version: string) => ({ type: 'agent_rollout', id, name: version })
const nobody = (selected: { agentId: string; skipped: Skipped | null }[]): string => {
  const [first] = selected
  return first
    ? `None of the ${selected.length} agents can take this version. ${first.agentId}: ${first.skipped?.text}.`
    : 'There is no agent to update.'
}

/** Those seen last come first, so that a wave does not wait for one that is off. @throws NotFound for an unknown or retired agent */
async function candidates(sql: TransactionSql, tenantId: string, agentIds: readonly string[] | null): Promise<Candidate[]> {
  const rows = await sql<Candidate[]>`
    select agent_id as "agentId", agent_version as "agentVersion", update_report as "updateReport" from agents
    where tenant_id = ${tenantId} and retired_at is null and (${agentIds === null} or agent_id = any(${(agentIds ?? []) as string[]}))
    order by last_seen desc, agent_id`
  if (agentIds === null) return rows
  const known = new Map(rows.map((row) => [row.agentId, row]))
  const missing = agentIds.find((id) => !known.has(id))
  if (missing !== undefined) throw new NotFound('agent', missing)
  return [...new Set(agentIds)].map((id) => known.get(id) as Candidate)
}

async function busyAgents(sql: TransactionSql, tenantId: string, agentIds: readonly string[] | null): Promise<string[]> {
  const rows = await sql<{ agentId: string }[]>`
    select agent_id as "agentId" from agent_rollout_agents
    where tenant_id = ${tenantId} and state in ('pending', 'announced', 'waiting', 'downloading', 'verified', 'switched')
      and (${agentIds === null} or agent_id = any(${(agentIds ?? []) as string[]})) order by agent_id limit 5`
  return rows.map(({ agentId }) => agentId)
}

const columns = (sql: TransactionSql) => sql`
  r.id, r.version, r.wave_sizes as "waveSizes", r.stop_after_failures as "stopAfterFailures", r.spread_seconds as "spreadSeconds", r.state, r.reason, r.fault, r.wave,
  (select coalesce(max(wave), 0) from agent_rollout_agents a where a.tenant_id = r.tenant_id and a.rollout_id = r.id) as waves,
  r.failures, r.created_by as "createdBy", r.created_at as "createdAt", r.ended_at as "endedAt",
  (select coalesce(jsonb_object_agg(state, n), '{}') from (
    select state, count(*)::int as n from agent_rollout_agents a where a.tenant_id = r.tenant_id and a.rollout_id = r.id group by state) s) as counts`

/** A page of rollouts, newest first, and how many there are. */
export async function listRollouts(
  scope: TenantScope,
  { page, page_size }: { page: number; page_size: number },
): Promise<{ rows: RolloutRow[]; total: number }> {
  const [rows, [counted]] = await scope.read((sql) =>
    Promise.all([
      sql<RolloutRow[]>`
        select ${columns(sql)} from agent_rollouts r where r.tenant_id = ${scope.tenantId}
        order by r.created_at desc, r.id desc limit ${page_size} offset ${(page - 1) * page_size}`,
      sql<{ total: number }[]>`select count(*)::int as total from agent_rollouts where tenant_id = ${scope.tenantId}`,
    ]),
  )
  return { rows, total: counted?.total ?? 0 }
}

/** A rollout with all its agents, by wave. @throws NotFound */
export async function loadRollout(scope: TenantScope, id: string): Promise<{ rollout: RolloutRow; agents: RolloutAgentRow[] }> {
  const [[rollout], agents] = await scope.read((sql) =>
    Promise.all([
      sql<RolloutRow[]>`select ${columns(sql)} from agent_rollouts r where r.tenant_id = ${scope.tenantId} and r.id = ${id}`,
      sql<RolloutAgentRow[]>`
        select agent_id as "agentId", wave, state, since, reason, fault, from_version as "fromVersion", received_bytes::float8 as "receivedBytes"
        from agent_rollout_agents where tenant_id = ${scope.tenantId} and rollout_id = ${id} order by wave = 0, wave, agent_id`,
    ]),
  )
  if (!rollout) throw new NotFound('agent rollout', id)
  return { rollout, agents }
}

const CHANGES = {
  pause: { from: ['running'], to: 'paused', event: 'rollout.paused' },
  resume: { from: ['paused', 'stopped'], to: 'running', event: 'rollout.resumed' },
  cancel: { from: ['running', 'paused', 'stopped'], to: 'cancelled', event: 'rollout.cancelled' },
} as const satisfies Record<string, { from: readonly RolloutState[]; to: RolloutState; event: string }>
export type RolloutChange = keyof typeof CHANGES

/**
 * Pauses: agents that have not begun to install wait. Resumes: failures count anew. Cancels: what is being installed goes on, and the others are
 * left as they are. @throws NotFound, Conflict where the rollout is in a state that does not allow it
 */
export async function changeRollout(scope: TenantScope, id: string, change: RolloutChange): Promise<void> {
  const { tenantId, actor, clock } = scope
  const { from, to, event } = CHANGES[change]
  const now = clock.now()
  await scope.tx(async (sql) => {
    await lockRollout(sql, { tenantId, rolloutId: id })
    const [known] = await sql<{ state: RolloutState; version: string }[]>`
      select state, version from agent_rollouts where tenant_id = ${tenantId} and id = ${id}`
    if (!known) throw new NotFound('agent rollout', id)
    if (!(from as readonly RolloutState[]).includes(known.state))
      throw new Conflict(
        'rollout_state',
        `The rollout is ${known.state}. It can ${change} only while it is ${from.join(' or ')}.`,
        { state: known.state },
      )
    await sql`
      update agent_rollouts set state = ${to}, reason = case when ${to} = 'running' then null else reason end,
        fault = case when ${to} = 'running' then null else fault end,
        failures = case when ${to} = 'running' then 0 else failures end, ended_at = ${to === 'cancelled' ? now : null}
      where tenant_id = ${tenantId} and id = ${id}`
    if (to === 'cancelled')
      await sql`
        with ended as (
          update agent_rollout_agents set state = 'cancelled', since = ${now}
          where tenant_id = ${tenantId} and rollout_id = ${id} and state in ('pending', 'announced', 'waiting', 'downloading') returning agent_id)
        update agents set rollout_id = null from ended
        where agents.tenant_id = ${tenantId} and agents.agent_id = ended.agent_id and agents.rollout_id = ${id}`
    if (to === 'running') await advance(sql, { tenantId, rolloutId: id }, now)
    await recordEvent(sql, tenantId, actor, event, targetOf(id, known.version))
  })
}
