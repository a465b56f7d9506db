import type { TenantScope } from '../../db/scope.ts'

/** An agent, as far as its pushed sources are concerned. */
export interface AgentView {
  lastSeen: Date | null
  isOnline: boolean
  /** revisions; null: it has not said */
  running: number | null
  wanted: number
  fault: string | null
}

/** A heartbeat or two may be missed. */
const ONLINE_SECONDS = 150

export async function agentView(scope: TenantScope, agentId: string): Promise<AgentView> {
  const [row] = await scope.rawRead(
    (sql) => sql<{ seen: Date | null; wanted: string; running: string | null; fault: string | null }[]>`
      select (select last_seen from agents a where a.tenant_id = s.tenant_id and a.agent_id = s.agent_id) as seen,
        s.revision as wanted, s.running_revision as running, s.fault
      from agent_sources s where s.tenant_id = ${scope.tenantId} and s.agent_id = ${agentId}`,
  )
  const lastSeen = row?.seen ?? null
  return {
    lastSeen,
    isOnline: lastSeen !== null && scope.clock.now().getTime() - lastSeen.getTime() < ONLINE_SECONDS * 1000,
    running: row?.running ? Number(row.running) : null,
    wanted: Number(row?.wanted ?? 0),
    fault: row?.fault ?? null,
  }
}
