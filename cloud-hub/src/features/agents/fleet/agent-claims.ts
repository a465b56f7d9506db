import type { Pools, Sql } from '../../../db/pools.ts'
import { isRunningHub } from '../../../db/replicas.ts'
import { batchLoader } from '../../../support/batch-loader.ts'

/** One connection is told that another hub has the agent now: `tenant/agent/connection`. */
const REPLACED_CHANNEL = 'haltless_replaced_agents'
/** A younger claim may be of a connection that is still logging in. */
const LEFT_OVER_SECONDS = 5

/** A connection of an agent to the embedded broker of this hub. */
export interface ClaimedConnection {
  tenantId: string
  agentId: string
  /** distinguishes two agents with the same agent_id */
  instance: string
  connectionId: string
}

/**
 * Which hub holds which agent, in rows that all hubs of the database share: of two live agents with one id the second is refused, whichever
 * hub it reaches. A claim holds while its hub announces itself; afterwards anyone may take it.
 */
export class AgentClaims {
  readonly #allTenants: Sql
  readonly #listen: Sql
  readonly #hubId: string
  /** Claims of one agent must not overlap. Many agents log in at once, so their claims share a statement. */
  readonly claim: (connection: ClaimedConnection) => Promise<boolean>
  readonly #release: (connection: ClaimedConnection) => Promise<null>
  readonly #releasing = new Set<Promise<unknown>>()

  constructor({ system, listen }: Pick<Pools, 'system' | 'listen'>, hubId: string) {
    this.#allTenants = system
    this.#listen = listen
    this.#hubId = hubId
    this.claim = batchLoader((connections) => this.#take(connections, true))
    this.#release = batchLoader(async (connections) => {
      await this.#delete(connections)
      return connections.map(() => null)
    })
  }

  /**
   * Calls back for each connection of this hub that its agent has left for another hub. A notification may be lost: `findLost` finds the
   * same within seconds. Removes the claims of hubs that are gone. @returns ends this, and all claims of this hub
   */
  async follow(onReplaced: (connection: Omit<ClaimedConnection, 'instance'>) => void): Promise<() => Promise<void>> {
    const allTenants = this.#allTenants
    const subscription = await this.#listen.listen(REPLACED_CHANNEL, (payload) => {
      const [tenantId, agentId, connectionId] = payload.split('/')
      if (tenantId && agentId && connectionId) onReplaced({ tenantId, agentId, connectionId })
    })
    await allTenants`delete from agent_connections c where not ${isRunningHub(allTenants, allTenants`c.hub_id`)}`
    return async () => {
      await subscription.unlisten().catch(() => {})
      await Promise.allSettled([...this.#releasing])
      await allTenants`delete from agent_connections where hub_id = ${this.#hubId}`.catch(() => {})
    }
  }

  /** Ends the claim of a connection that has closed, unless the agent has a newer one. Where that fails, `removeLeftOver` does it later. */
  release(connection: ClaimedConnection): void {
    const releasing: Promise<unknown> = this.#release(connection).catch(() => {})
    this.#releasing.add(releasing)
    releasing.finally(() => this.#releasing.delete(releasing))
  }

  /**
   * Of the connections that this hub holds, those whose agent belongs to another hub by now, as after this one was frozen. A claim that is
   * missing is made again: an unlogged table is empty after a crash or a failover of the database.
   */
  async findLost<T extends ClaimedConnection>(held: readonly T[]): Promise<T[]> {
    const allTenants = this.#allTenants
    const { tenantIds, agentIds, connectionIds } = columnsOf(held)
    const rows = await allTenants<{ n: number }[]>`
      select h.n::int from unnest(${tenantIds}::uuid[], ${agentIds}::text[], ${connectionIds}::uuid[]) with ordinality h(tenant_id, agent_id, connection_id, n)
      where not exists (
        select from agent_connections c
        where c.tenant_id = h.tenant_id and c.agent_id = h.agent_id and c.connection_id = h.connection_id)`
    const missing = rows.map(({ n }) => held[n - 1] as T)
    const claimed = missing.length > 0 ? await this.#take(missing, false) : []
    return missing.filter((_, i) => !claimed[i])
  }

  /**
   * Ends the claims of this hub whose connection it no longer holds: a release failed, a log-in lost its answer, or `findLost` claimed for a
   * connection that was closing. Other hubs would refuse the agent as long as this one runs. A claim that this ends by mistake, because its
   * log-in took longer, is made again by `findLost`.
   */
  async removeLeftOver(heldIds: readonly string[]): Promise<void> {
    const allTenants = this.#allTenants
    await allTenants`
      delete from agent_connections where (tenant_id, agent_id) in (
        select c.tenant_id, c.agent_id from agent_connections c
        where c.hub_id = ${this.#hubId} and c.connected_at < now() - make_interval(secs => ${LEFT_OVER_SECONDS})
          and not exists (select from unnest(${heldIds as string[]}::uuid[]) h(id) where h.id = c.connection_id)
        order by c.tenant_id, c.agent_id for update of c)`
  }

  /**
   * @param isNew whether the connections are new, so that they replace older ones of the same instance
   * @returns for each connection whether it has the claim now
   */
  async #take(connections: readonly ClaimedConnection[], isNew: boolean): Promise<boolean[]> {
    const allTenants = this.#allTenants
    const { tenantIds, agentIds, instances, connectionIds } = columnsOf(connections)
    // in the order of the key, so that two hubs never wait for each other
    const rows = await allTenants<{ id: string }[]>`
      with claimed as (
        insert into agent_connections as c (tenant_id, agent_id, hub_id, instance, connection_id)
        select t.id, n.agent_id, ${this.#hubId}, n.instance, n.connection_id
        from unnest(${tenantIds}::uuid[], ${agentIds}::text[], ${instances}::text[], ${connectionIds}::uuid[])
          n(tenant_id, agent_id, instance, connection_id)
        join tenants t on t.id = n.tenant_id
        order by n.tenant_id, n.agent_id
        on conflict (tenant_id, agent_id) do update
          set hub_id = excluded.hub_id, instance = excluded.instance, connection_id = excluded.connection_id, connected_at = now()
          where (${isNew} and (c.hub_id = excluded.hub_id or c.instance = excluded.instance))
            or not ${isRunningHub(allTenants, allTenants`c.hub_id`)}
        returning c.tenant_id, c.agent_id, c.connection_id, old.hub_id as former_hub_id, old.connection_id as former_connection_id
      )
      select connection_id as id,
        case when former_hub_id <> ${this.#hubId}
          then pg_notify(${REPLACED_CHANNEL}, tenant_id || '/' || agent_id || '/' || former_connection_id) end
      from claimed`
    const claimed = new Set(rows.map(({ id }) => id))
    return connections.map(({ connectionId }) => claimed.has(connectionId))
  }

  async #delete(connections: readonly ClaimedConnection[]): Promise<void> {
    const allTenants = this.#allTenants
    const { tenantIds, agentIds, connectionIds } = columnsOf(connections)
    await allTenants`
      delete from agent_connections where (tenant_id, agent_id) in (
        select c.tenant_id, c.agent_id from agent_connections c
        join unnest(${tenantIds}::uuid[], ${agentIds}::text[], ${connectionIds}::uuid[]) n(tenant_id, agent_id, connection_id)
          on n.tenant_id = c.tenant_id and n.agent_id = c.agent_id and n.connection_id = c.connection_id
        order by c.tenant_id, c.agent_id for update of c)`
  }
}

const columnsOf = (connections: readonly ClaimedConnection[]) => ({
  tenantIds: connections.map(({ tenantId }) => tenantId),
  agentIds: connections.map(({ agentId }) => agentId),
  instances: connections.map(({ instance }) => instance),
  connectionIds: connections.map(({ connectionId }) => connectionId),
})
