import { compareNamespaces, type NamespaceMemory } from '@haltless/edge-agent/collectors'
import type { Sql } from '../../../db/pools.ts'
import type { Logger } from '../../../support/logger.ts'
import type { SourceRow } from './manage-source.ts'

type Polled = Pick<SourceRow, 'id' | 'tenantId' | 'host' | 'port' | 'config' | 'namespaces'>

const endpointOf = ({ host, port, config }: Polled): string =>
  `opc.tcp://${host.toLowerCase()}:${port}/${String(config.endpoint_path ?? '').replace(/^\/+/, '')}`

const knownOf = (row: Polled): readonly string[] | null =>
  row.namespaces?.endpoint === endpointOf(row) ? row.namespaces.uris : null

/** The namespaces that the node ids of a source mean, for a look at its device that remembers nothing. */
export const knownNamespaces = (row: Polled): NamespaceMemory => ({ remembered: () => knownOf(row), found: async () => {} })

/** The same for a source that this hub polls: those of its first session stay with it until its address changes. */
export function rememberedNamespaces(
  allTenants: Sql,
  logger: Pick<Logger, 'warn'>,
  row: Polled & { version: number },
): NamespaceMemory {
  let known = knownOf(row)
  let stored = JSON.stringify(known)
  return {
    remembered: () => known,
    found: async (uris) => {
      known = compareNamespaces(known, uris).remembered
      if (JSON.stringify(known) === stored) return
      const namespaces = allTenants.json({ endpoint: endpointOf(row), uris: known })
      try {
        await allTenants`
          update ingest_sources set namespaces = ${namespaces}
          where tenant_id = ${row.tenantId} and id = ${row.id} and version = ${row.version}`
        stored = JSON.stringify(known)
      } catch (error) {
        // the next session tries again
        logger.warn({ err: error }, 'the namespaces of an OPC UA server could not be stored')
      }
    },
  }
}
