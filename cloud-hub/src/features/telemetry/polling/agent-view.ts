import { type Fault, fault } from '@haltless/protocol'
import type { TenantScope } from '../../../db/scope.ts'
import { faultOfText } from '../../plant/faults/index.ts'

/** What the hub knows of an agent that polls sources. */
export interface AgentView {
  lastSeen: Date | null
  isOnline: boolean
  /** the revision of sources that the agent runs; null: it has not reported one */
  running: number | null
  wanted: number
  /** why it could not apply a newer one, as a text and as a fault */
  fault: string | null
  revisionFault: Fault | null
}

type AgentRow = Pick<AgentView, 'fault' | 'revisionFault'> & {
  agent: string
  seen: Date | null
  wanted: string
  running: string | null
}

/** @param heartbeatSeconds interval of heartbeats; an agent that misses two of them is offline */
export async function agentViews(scope: TenantScope, heartbeatSeconds: number): Promise<Map<string, AgentView>> {
  const rows = await scope.read(
    (sql) => sql<AgentRow[]>`
      select s.agent_id as agent, a.last_seen as seen, s.revision as wanted, s.running_revision as running, s.fault,
        s.revision_fault as "revisionFault"
      from agent_sources s left join agents a on a.tenant_id = s.tenant_id and a.agent_id = s.agent_id
      where s.tenant_id = ${scope.tenantId}`,
  )
  const onlineAfter = scope.clock.now().getTime() - 2 * heartbeatSeconds * 1000
  return new Map(
    rows.map(({ agent, seen, wanted, running, ...faults }) => [
      agent,
      {
        lastSeen: seen,
        isOnline: seen !== null && seen.getTime() > onlineAfter,
        running: running === null ? null : Number(running),
        wanted: Number(wanted),
        ...faults,
      },
    ]),
  )
}

/** Why the last report of an agent about its sources is stale; null when it is current. */
export function agentProblem(agent: string, view: AgentView | undefined): Fault | null {
  if (!view?.lastSeen) return fault('agent_not_reported', { agent })
  if (!view.isOnline) return fault('agent_last_reported', { agent, at: view.lastSeen.toISOString() })
  if (view.fault)
    return fault('agent_settings_refused', { agent, reason: faultOfText(view.revisionFault, view.fault) ?? view.fault })
  if (view.running === null) return fault('agent_without_sources', { agent })
  return null
}
