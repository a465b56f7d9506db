import { asc } from 'drizzle-orm'
import type { Sql } from '../../../db/pools.ts'
import { owned, type TenantScope } from '../../../db/scope.ts'
import type { SubscriptionStatus } from '../../../db/tables/accounts.ts'
import { agents } from '../../../db/tables/agents.ts'
import { agentSources } from '../../../db/tables/sources.ts'

/** The state of an agent's polling sources. */
export type SourceSet = Pick<typeof agentSources.$inferSelect, 'revision' | 'runningRevision' | 'fault'>

/** The tenant's subscription status; `canceled` for a deleted tenant. */
export async function subscriptionOf(allTenants: Sql, tenantId: string): Promise<SubscriptionStatus> {
  const [row] = await allTenants<
    { status: SubscriptionStatus }[]
  >`select subscription_status as status from tenants where id = ${tenantId}`
  return row?.status ?? 'canceled'
}

/** Every agent of the tenant by its id, each with its set of polling sources. */
export async function listAgents(scope: TenantScope) {
  const [rows, sets] = await scope.read((db) =>
    Promise.all([
      db.select().from(agents).where(owned(agents, scope)).orderBy(asc(agents.agentId)),
      db.select().from(agentSources).where(owned(agentSources, scope)),
    ]),
  )
  const setOf = new Map<string, SourceSet>(sets.map((set) => [set.agentId, set]))
  return rows.map((agent) => ({ ...agent, sources: setOf.get(agent.agentId) }))
}
