import { adapterOf, CollectorHosts, type ProbeDeps, systemClock } from '@haltless/edge-agent/collectors'
import type { SourceProtocol } from '@haltless/protocol'
import type { Sql } from '../../../db/pools.ts'
import type { Clock } from '../../../support/clock.ts'
import type { Logger } from '../../../support/logger.ts'
import type { GuardedClient } from '../../../support/net/guarded-client.ts'
import type { SecretBox } from '../../../support/secrets/secret-box.ts'

import { ensureClientIdentity, pkiDirOf } from './identity.ts'

export interface CollectingDeps {
  pools: { system: Sql }
  box: SecretBox
  http: GuardedClient
  clock: Clock
  logger: Logger
  config: { dataDir: string; heartbeatSeconds: number }
}

const resolvers = new WeakMap<GuardedClient, Map<string, (host: string) => Promise<string>>>()

/** One resolver per tenant: collectors with the same resolver share connections, and tenants must not. */
function resolverOf(http: GuardedClient, tenantId: string): (host: string) => Promise<string> {
  const byTenant = resolvers.get(http) ?? new Map<string, (host: string) => Promise<string>>()
  resolvers.set(http, byTenant)
  const resolve = byTenant.get(tenantId) ?? ((host: string) => http.resolvePublicHost(host))
  byTenant.set(tenantId, resolve)
  return resolve
}

const hosts = new WeakMap<GuardedClient, CollectorHosts>()

/** The child processes of a hub in which libraries read what devices send: a device ends no hub. They end with their last collector. */
export function hostsOf({ http }: Pick<CollectingDeps, 'http'>): CollectorHosts {
  const known = hosts.get(http) ?? new CollectorHosts({ hasTenants: true })
  hosts.set(http, known)
  return known
}

/** The dependencies of the agent's collectors in a hub. They connect only to addresses that the guard permits. */
export const probeDeps = ({ http, clock, logger, config }: CollectingDeps, tenantId: string): ProbeDeps => ({
  clock: { ...systemClock, now: () => clock.now().getTime() },
  logger,
  pkiDir: pkiDirOf(config.dataDir),
  resolveHost: resolverOf(http, tenantId),
  trustAdvice: (thumbprint) => `set server_thumbprint to ${thumbprint}`,
})

/** Prepares what a connection of this protocol needs, such as a client certificate. */
export async function prepareConnection({ pools, box, logger, config }: CollectingDeps, protocol: SourceProtocol): Promise<void> {
  if (adapterOf(protocol).needsClientIdentity)
    await ensureClientIdentity({ allTenants: pools.system, box, logger, dataDir: config.dataDir })
}
