import path from 'node:path'
import { adoptClientIdentity, clientIdentity } from '@haltless/edge-agent/collectors'
import type { Sql } from '../../../db/pools.ts'
import type { Logger } from '../../../support/logger.ts'
import type { SecretBox } from '../../../support/secrets/secret-box.ts'

const [NAME, CONTEXT] = ['opcua_client', 'hub_keys/opcua_client']

/** Keys and certificates of OPC UA, as the collectors keep them. */
export const pkiDirOf = (dataDir: string): string => path.join(dataDir, 'pki')

interface IdentityDeps {
  allTenants: Sql
  box: SecretBox
  /** where damaged files are reported */
  logger: Logger
}

const ready = new Map<string, Promise<void>>()

/**
 * Makes this hub the OPC UA client that all hubs of the database are, so that a server which trusts it trusts every one. Whichever hub needs it first
 * makes it. Asked for before the first OPC UA connection of a process, because making it takes a second; later calls cost nothing.
 */
export function haveClientIdentity(deps: IdentityDeps & { dataDir: string }): Promise<void> {
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
