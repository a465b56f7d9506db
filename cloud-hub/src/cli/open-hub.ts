import { existsSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import type { Secret } from '@haltless/edge-agent/secret'
import type { HubConfig } from '../config.ts'
import type { Logins } from '../db/login.ts'
import type { Pools, TransactionSql } from '../db/pools.ts'
import type { SecretBox } from '../support/secrets/secret-box.ts'
import { loadOrCreateSecretKey } from '../support/secrets/secret-key.ts'
import { UsageError } from './terminal.ts'

/** The hub's migrated database, for an operator's command. */
export interface OpenHub {
  config: HubConfig
  pools: Pools
  box: SecretBox
  /** a transaction that the audit trail attributes to the hub's operator */
  change<T>(work: (sql: TransactionSql) => Promise<T>): Promise<T>
}

export const operatorActor = () => ({
  kind: 'operator' as const,
  id: 'command line',
  name: userInfo().username,
  ip: null,
  requestId: null,
})

/**
 * Runs work with the owner's URL. It joins the embedded database of a running hub, or starts it.
 * @throws UsageError when the settings contain only logins
 */
export async function withOwner<T>(config: HubConfig, work: (ownerUrl: string) => Promise<T>): Promise<T> {
  if (config.databaseUrl) return work(config.databaseUrl.reveal())
  if (config.databaseLogins)
    throw new UsageError("This command works as the owner of the database: set DATABASE_URL to the owner's URL.")
  const { startEmbeddedPostgres } = await import('../db/embedded/index.ts')
  const embedded = await startEmbeddedPostgres({ dataDir: join(config.dataDir, 'postgres') })
  try {
    return await work(embedded.url())
  } finally {
    await embedded.stop()
  }
}

/** SECRET_KEY, or the hub's generated key, created when missing. */
export const secretKeyOf = async (config: HubConfig): Promise<Secret> => config.secretKey ?? loadOrCreateSecretKey(config.dataDir)

export async function withHub<T>(work: (hub: OpenHub) => Promise<T>): Promise<T> {
  const { loadConfig } = await import('../config.ts')
  const { prepareDatabase } = await import('../db/migrate.ts')
  const config = loadConfig(process.env)
  const secretKey = await secretKeyOf(config)
  const { databaseLogins } = config
  if (!databaseLogins)
    return withOwner(config, async (url) => withPools(config, await prepareDatabase(url, secretKey), secretKey, work))
  const { checkConfiguredLogins } = await import('../db/configured-logins.ts')
  await checkConfiguredLogins(databaseLogins, secretKey)
  return withPools(config, databaseLogins, secretKey, work)
}

async function withPools<T>(
  config: HubConfig,
  logins: Logins,
  secretKey: Secret,
  work: (hub: OpenHub) => Promise<T>,
): Promise<T> {
  const { openPools } = await import('../db/pools.ts')
  const { actorSetting } = await import('../db/scope.ts')
  const { createSecretBox } = await import('../support/secrets/secret-box.ts')
  const pools = openPools(logins)
  const change: OpenHub['change'] = (act) =>
    pools.system.begin(async (sql) => {
      await sql`select set_config('app.actor', ${actorSetting(operatorActor())}, true)`
      return act(sql)
    }) as Promise<never>
  try {
    return await work({ config, pools, box: createSecretBox(secretKey), change })
  } finally {
    await pools.close()
  }
}

/** The file of the generated key, or null. */
export const ownSecretKeyFile = (config: HubConfig): string | null => {
  const file = join(config.dataDir, 'secret-key')
  return config.secretKey === undefined && existsSync(file) ? file : null
}
