import { createHash } from 'node:crypto'
import { type Fault, fault, type SignedRelease, type UpdateOrder, type UpdateReport } from '@haltless/protocol'
import type { Sql, TransactionSql } from '../../../db/pools.ts'
import { purge } from '../../../db/purge.ts'
import type { RolloutAgentState, RolloutState } from '../../../db/tables/rollouts.ts'
import type { RolloutKey } from './rollout-key.ts'

/** These have handed the archive to the updater: nobody can call them back. */
const BEYOND_RECALL: readonly RolloutAgentState[] = ['verified', 'switched']
const SETTLED: readonly RolloutAgentState[] = ['confirmed', 'rolled_back', 'refused', 'failed', 'skipped', 'cancelled']
const HOUR_MS = 3_600_000

interface Standing {
  rolloutState: RolloutState
  version: string
  waveBeganAt: Date
  spreadSeconds: number
  state: RolloutAgentState
  reason: string | null
  fault: Fault | null
  receivedBytes: number | null
  release: SignedRelease | null
}

/** What an agent tells about itself becomes this of its row. */
interface Next {
  state: RolloutAgentState
  reason: string | null
  /** the same as a fault; null of an older agent */
  fault: Fault | null
  receivedBytes: number | null
  since: Date
  isFailure: boolean
}

/**
 * Takes what an agent with an ordered update reports, and says what is ordered now. Only agents with an order cost anything.
 * @returns null: nothing (more) is ordered
 */
export async function orderUpdate(
  allTenants: Sql,
  rollout: RolloutKey,
  agentId: string,
  report: UpdateReport | undefined,
  now: Date,
): Promise<UpdateOrder | null> {
  const { rolloutId } = rollout
  let standing = await standingOf(allTenants, rollout, agentId)
  const next = report?.rollout_id === rolloutId ? nextOf(report, now) : null
  if (standing && next && isNews(standing, next)) {
    await allTenants.begin((sql) => settle(sql, rollout, agentId, next, now))
    standing = await standingOf(allTenants, rollout, agentId)
  }
  if (!standing?.release || !report?.platform || SETTLED.includes(standing.state)) return null
  if (standing.rolloutState !== 'running' && !BEYOND_RECALL.includes(standing.state)) return null
  const { version, release, waveBeganAt, spreadSeconds } = standing
  const startsAt = waveBeganAt.getTime() + spreadMs(agentId, rolloutId, spreadSeconds)
  return {
    rollout_id: rolloutId,
    version,
    release,
    path: `/api/v1/agent/releases/${version}/${report.platform}?agent_id=${agentId}`,
    delay_seconds: Math.max(0, Math.min(spreadSeconds, Math.ceil((startsAt - now.getTime()) / 1_000))),
  }
}

async function standingOf(allTenants: Sql, { tenantId, rolloutId }: RolloutKey, agentId: string): Promise<Standing | undefined> {
  const [row] = await allTenants<Standing[]>`
    select r.state as "rolloutState", r.version, r.wave_began_at as "waveBeganAt", r.spread_seconds as "spreadSeconds",
      a.state, a.reason, a.fault, a.received_bytes::float8 as "receivedBytes", l.release
    from agent_rollout_agents a join agent_rollouts r on r.tenant_id = a.tenant_id and r.id = a.rollout_id
    left join agent_releases l on l.version = r.version
    where a.tenant_id = ${tenantId} and a.agent_id = ${agentId} and a.rollout_id = ${rolloutId}`
  return row
}

/** The same for the same agent and rollout, evenly over the time. */
function spreadMs(agentId: string, rolloutId: string, spreadSeconds: number): number {
  const part = createHash('sha256').update(`${rolloutId} ${agentId}`).digest().readUInt32BE(0) / 2 ** 32
  return Math.floor(part * spreadSeconds * 1_000)
}

/** A clock that is off cannot put a state into the future, or days back. */
function nextOf({ state, reason, fault: told, received_bytes, at, accepts }: UpdateReport, now: Date): Next | null {
  if (!state) return null
  const instant = at === undefined ? now.getTime() : Date.parse(at)
  const since = new Date(instant > now.getTime() || instant < now.getTime() - 24 * HOUR_MS ? now.getTime() : instant)
  const isFailure = state === 'rolled_back' || (state === 'refused' && accepts)
  return { state, reason: reason ?? null, fault: told ?? null, receivedBytes: received_bytes ?? null, since, isFailure }
}

const isNews = (standing: Standing, next: Next): boolean =>
  standing.state !== next.state ||
  standing.reason !== next.reason ||
  standing.fault?.detail !== next.fault?.detail ||
  standing.receivedBytes !== next.receivedBytes

/** Writes the state of an agent, and begins the next wave where this one is over. A settled agent stays as it is. */
async function settle(sql: TransactionSql, rollout: RolloutKey, agentId: string, next: Next, now: Date): Promise<void> {
  const { tenantId, rolloutId } = rollout
  await lockRollout(sql, rollout)
  const { state, reason, receivedBytes, since } = next
  const found = next.fault ? sql.json(next.fault as never) : null
  const [changed] = await sql<{ wasSame: boolean }[]>`
    update agent_rollout_agents a set state = ${state}, reason = ${reason}, fault = ${found}::jsonb, received_bytes = coalesce(${receivedBytes}, a.received_bytes),
      since = case when a.state = ${state} then a.since else ${since} end
    where tenant_id = ${tenantId} and rollout_id = ${rolloutId} and agent_id = ${agentId} and state <> all(${SETTLED as string[]})
    returning state = ${state} as "wasSame"`
  if (!changed || !SETTLED.includes(state)) return
  await sql`
    update agents set rollout_id = null where tenant_id = ${tenantId} and agent_id = ${agentId} and rollout_id = ${rolloutId}`
  if (next.isFailure) await noteFailure(sql, rollout, agentId, next)
  await advance(sql, rollout, now)
}

/** Before any row of its agents, so that two reports of one rollout do not wait for each other in a circle. */
export const lockRollout = (sql: TransactionSql, { tenantId, rolloutId }: RolloutKey) =>
  sql`select from agent_rollouts where tenant_id = ${tenantId} and id = ${rolloutId} for update`

async function noteFailure(
  sql: TransactionSql,
  { tenantId, rolloutId }: RolloutKey,
  agentId: string,
  { reason, fault: found }: Next,
): Promise<void> {
  const why = reason === null ? fault('agent_update_unexplained') : (found ?? reason)
  const last = fault('rollout_stopped_by', { agent: agentId, reason: why })
  await sql`
    update agent_rollouts set failures = failures + 1,
      state = case when state = 'running' and failures + 1 >= stop_after_failures then 'stopped' else state end,
      reason = case when state = 'running' and failures + 1 >= stop_after_failures then ${last.detail} else reason end,
      fault = case when state = 'running' and failures + 1 >= stop_after_failures then ${sql.json(last as never)} else fault end
    where tenant_id = ${tenantId} and id = ${rolloutId}`
}

/**
 * Begins the next wave when all agents of those before are settled, and ends the rollout after the last one. An agent that is off, or waits for the
 * hours of its plant, holds the others up for a day at most, and only until one has confirmed the version; it installs it when it can.
 */
export async function advance(sql: TransactionSql, { tenantId, rolloutId }: RolloutKey, now: Date): Promise<void> {
  const patienceEnded = new Date(now.getTime() - 24 * HOUR_MS)
  const [next] = await sql<{ wave: number | null; open: number; absent: number; confirmed: number }[]>`
    select min(a.wave) filter (where a.state = 'pending') as wave,
      count(*) filter (where a.state <> all(${[...SETTLED, 'pending']}))::int as open,
      count(*) filter (where a.state in ('announced', 'waiting') and a.since <= ${patienceEnded}::timestamptz - r.spread_seconds * interval '1 second')::int as absent,
      count(*) filter (where a.state = 'confirmed')::int as confirmed
    from agent_rollouts r join agent_rollout_agents a on a.tenant_id = r.tenant_id and a.rollout_id = r.id
    where r.tenant_id = ${tenantId} and r.id = ${rolloutId} and r.state = 'running' group by r.id`
  if (!next || next.open > (next.wave !== null && next.confirmed > 0 ? next.absent : 0)) return
  if (next.wave === null) {
    await sql`
      update agent_rollouts set state = 'completed', ended_at = ${now} where tenant_id = ${tenantId} and id = ${rolloutId}`
    return
  }
  await sql`
    update agent_rollouts set wave = ${next.wave}, wave_began_at = ${now} where tenant_id = ${tenantId} and id = ${rolloutId}`
  await sql`
    with begun as (
      update agent_rollout_agents set state = 'announced', since = ${now}
      where tenant_id = ${tenantId} and rollout_id = ${rolloutId} and wave = ${next.wave} and state = 'pending' returning agent_id)
    update agents set rollout_id = ${rolloutId} from begun where agents.tenant_id = ${tenantId} and agents.agent_id = begun.agent_id`
}

/** The updater downloads, tries and takes back a version in less. */
const SWITCH_HOURS_MAX = 6

/**
 * An agent that went silent in the middle of an update has failed, and so has one whose updater does not get on: it would keep the agent out
 * of later rollouts.
 */
export async function failSilentUpdates(allTenants: Sql, now: Date): Promise<void> {
  const silent = await allTenants<(RolloutKey & { agentId: string; state: string; isHeard: boolean })[]>`
    select a.tenant_id as "tenantId", a.rollout_id as "rolloutId", a.agent_id as "agentId", a.state,
      coalesce(g.last_seen >= ${new Date(now.getTime() - HOUR_MS)}, false) as "isHeard"
    from agent_rollout_agents a join agents g on g.tenant_id = a.tenant_id and g.agent_id = a.agent_id
    where a.state in ('downloading', 'verified', 'switched') and a.since < ${new Date(now.getTime() - HOUR_MS)}
      and (g.last_seen < ${new Date(now.getTime() - HOUR_MS)}
        or (a.state in ('verified', 'switched') and a.since < ${new Date(now.getTime() - SWITCH_HOURS_MAX * HOUR_MS)}))
    limit 1000`
  for (const { agentId, state, isHeard, ...rollout } of silent) {
    const why = isHeard
      ? fault('agent_stuck_in_update', { state, hours: SWITCH_HOURS_MAX })
      : fault('agent_silent_in_update', { state })
    const next: Next = { state: 'failed', reason: why.detail, fault: why, receivedBytes: null, since: now, isFailure: true }
    await allTenants.begin((sql) => settle(sql, rollout, agentId, next, now))
  }
}

/** Begins the waves that only absent agents hold up. */
export async function advanceRollouts(allTenants: Sql, now: Date): Promise<void> {
  const running = await allTenants<RolloutKey[]>`
    select tenant_id as "tenantId", id as "rolloutId" from agent_rollouts where ended_at is null and state = 'running'`
  for (const rollout of running)
    await allTenants.begin(async (sql) => {
      await lockRollout(sql, rollout)
      await advance(sql, rollout, now)
    })
}

/** An agent that was retired takes no part any more. */
export async function leaveRollout(sql: TransactionSql, tenantId: string, agentId: string, now: Date): Promise<void> {
  const open = await sql<{ rolloutId: string }[]>`
    select rollout_id as "rolloutId" from agent_rollout_agents
    where tenant_id = ${tenantId} and agent_id = ${agentId} and state <> all(${SETTLED as string[]})`
  const why = fault('agent_retired')
  const next: Next = { state: 'skipped', reason: why.detail, fault: why, receivedBytes: null, since: now, isFailure: false }
  for (const { rolloutId } of open) await settle(sql, { tenantId, rolloutId }, agentId, next, now)
}

const KEPT_MS = 730 * 24 * HOUR_MS
/** Rollouts that one statement deletes: each has a row of each of its agents. */
const FEW = 10

/** Deletes rollouts two years after they ended; the audit trail keeps who started them. */
export async function purgeRollouts(allTenants: Sql, now: Date): Promise<void> {
  const before = new Date(now.getTime() - KEPT_MS)
  await purge(allTenants, { table: 'agent_rollouts', column: 'ended_at', before, portion: FEW })
}
