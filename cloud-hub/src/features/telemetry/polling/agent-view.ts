import type { TenantScope } from '../../../db/scope.ts'

/** What the hub knows of an agent that polls sources. */
export interface AgentView {
  lastSeen: Date | null
  isOnline: boolean
  /** the revision of sources that the agent runs; null: it has not reported one */
  running: number | null
  wanted: number
  fault: string | null
}

/** @param heartbeatSeconds interval of heartbeats; an agent that misses two of them is offline */
export async function agentViews(scope: TenantScope, heartbeatSeconds: number): Promise<Map<string, AgentView>> {
  const rows = await scope.read(
    (sql) => sql<{ agent: string; seen: Date | null; wanted: string; running: string | null; fault: string | null }[]>`
      select s.agent_id as agent, a.last_seen as seen, s.revision as wanted, s.running_revision as running, s.fault
      from agent_sources s left join agents a on a.tenant_id = s.tenant_id and a.agent_id = s.agent_id
      where s.tenant_id = ${scope.tenantId}`,
  )
  const onlineAfter = scope.clock.now().getTime() - 2 * heartbeatSeconds * 1000
  return new Map(
    rows.map(({ agent, seen, wanted, running, fault }) => [
      agent,
      {
        lastSeen: seen,
        isOnline: seen !== null && seen.getTime() > onlineAfter,
        running: running === null ? null : Number(running),
        wanted: Number(wanted),
        fault,
      },
    ]),
  )
}

/** Why the last report of an agent about its sources is stale; null when it is current. */
export function agentProblem(agentId: string, view: AgentView | undefined): string | null {
  if (!view?.lastSeen) return `agent ${agentId} polls this source, and has not reported yet`
  if (!view.isOnline) return `agent ${agentId} polls this source, and last reported at ${view.lastSeen.toISOString()}`
  if (view.fault) return `agent ${agentId} could not apply its newest settings: ${view.fault}`
  if (view.running === null) return `agent ${agentId} does not support sources from the hub: update it`
  return null
}
