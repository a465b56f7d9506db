import { compareNamespaces, type NamespaceStore } from '@haltless/edge-agent/collectors'
import type { Sql } from '../../../db/pools.ts'
import type { Logger } from '../../../support/logger.ts'
import type { SourceRow } from './manage-source.ts'

type Polled = Pick<SourceRow, 'id' | 'tenantId' | 'host' | 'port' | 'config' | 'namespaces'>

const endpointOf = ({ host, port, config }: Polled): string =>
  `opc.tcp://${host.toLowerCase()}:${port}/${String(config.endpoint_path ?? '').replace(/^\/+/, '')}`

const knownOf = (row: Polled): readonly string[] | null =>
  row.namespaces?.endpoint === endpointOf(row) ? row.namespaces.uris : null

/** The namespaces that the node ids of a source mean, for a look at its device that remembers nothing. */
export const knownNamespaces = (row: Polled): NamespaceStore => ({ remembered: () => knownOf(row), found: async () => {} })

/** Another hub may have stored the array of its session first, and one that the server has lengthened after that. */
const MAX_ATTEMPTS = 3

/**
 * The same for a source that this hub polls: those of its first session stay with it until its address changes, or the same nodes are saved again.
 */
export function rememberedNamespaces(
  allTenants: Sql,
  logger: Pick<Logger, 'warn'>,
  row: Polled & { version: number },
): NamespaceStore {
  let known = knownOf(row)
  let stored = row.namespaces
  const isStored = () => JSON.stringify(knownOf({ ...row, namespaces: stored })) === JSON.stringify(known)
  const json = (namespaces: Polled['namespaces']) => (namespaces ? allTenants.json(namespaces) : null)

  async function store(uris: readonly string[]): Promise<void> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS && known && !isStored(); attempt++) {
      const next = { endpoint: endpointOf(row), uris: [...known] }
      const { count } = await allTenants`
        update ingest_sources set namespaces = ${json(next)}
        where tenant_id = ${row.tenantId} and id = ${row.id} and version = ${row.version}
          and namespaces is not distinct from ${json(stored)}::jsonb`
      if (count > 0) stored = next
      else {
        const [current] = await allTenants<Pick<Polled, 'namespaces'>[]>`
          select namespaces from ingest_sources
          where tenant_id = ${row.tenantId} and id = ${row.id} and version = ${row.version}`
        // other settings end this polling
        if (!current) return
        stored = current.namespaces
        known = compareNamespaces(knownOf({ ...row, namespaces: stored }), uris).remembered
      }
    }
  }

  return {
    remembered: () => known,
    found: async (uris) => {
      known = compareNamespaces(known, uris).remembered
      try {
        await store(uris)
      } catch (error) {
        // the next session tries again
        logger.warn({ err: error }, 'the namespaces of an OPC UA server could not be stored')
      }
    },
  }
}
