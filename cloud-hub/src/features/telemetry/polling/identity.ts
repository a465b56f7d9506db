import path from 'node:path'
import { adoptClientIdentity, clientIdentity } from '@haltless/edge-agent/collectors'
import type { Sql } from '../../../db/pools.ts'
import type { Logger } from '../../../support/logger.ts'
import type { SecretBox } from '../../../support/secrets/secret-box.ts'

const [NAME, CONTEXT] = ['opcua_client', 'hub_keys/opcua_client']

/** The directory of OPC UA keys and certificates, as the collectors use it. */
export const pkiDirOf = (dataDir: string): string => path.join(dataDir, 'pki')

interface IdentityDeps {
  allTenants: Sql
  box: SecretBox
  /** where damaged files are reported */
  logger: Logger
}

const ready = new Map<string, Promise<void>>()

/**
 * Gives this hub the OPC UA client certificate that all hubs of the database share: a server that trusts one hub trusts all. The
 * first hub that needs it creates it. Call it before the first OPC UA connection of a process; creating takes a second, later
 * calls cost nothing.
 */
export function ensureClientIdentity(deps: IdentityDeps & { dataDir: string }): Promise<void> {
  const dir = pkiDirOf(deps.dataDir)
  const known = ready.get(dir)
  if (known) return known
  const having = have(deps, dir).catch((error) => {
    ready.delete(dir)
    throw error
  })
  ready.set(dir, having)
  return having
}

async function have({ allTenants: sql, box, logger }: IdentityDeps, dir: string): Promise<void> {
  const load = () =>
    sql<{ certificate: string; sealed: string }[]>`
      select public_key as certificate, sealed_private_key as sealed from hub_keys where name = ${NAME}`
  let [row] = await load()
  if (!row) {
    const { certificate, privateKey } = await clientIdentity(dir, logger)
    const made = { name: NAME, public_key: certificate, sealed_private_key: box.seal(privateKey, CONTEXT) }
    await sql`insert into hub_keys ${sql(made)} on conflict do nothing`
    ;[row] = await load()
  }
  if (row) await adoptClientIdentity(dir, { certificate: row.certificate, privateKey: box.open(row.sealed, CONTEXT) }, logger)
}
