import { existsSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import type { HubConfig } from '../config.ts'
import type { Logins } from '../db/login.ts'
import type { Pools, TransactionSql } from '../db/pools.ts'
import type { SecretBox, SecretKeys } from '../support/secrets/secret-box.ts'
import { loadSecretKeys } from '../support/secrets/secret-key.ts'
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
  const { archiving } = await import('../db/recovery/index.ts')
  const embedded = await startEmbeddedPostgres({
    dataDir: join(config.dataDir, 'postgres'),
    archive: archiving(config.walArchive),
  })
  try {
    return await work(embedded.url())
  } finally {
    await embedded.stop()
  }
}

/** Like `withOwner`, and SECRET_KEY does not change meanwhile. @throws RotationRefused while it is being changed */
export const withOwnKey = <T>(config: HubConfig, work: (ownerUrl: string) => Promise<T>): Promise<T> =>
  withOwner(config, async (url) => {
    const { asOwner } = await import('../db/owner.ts')
    const { duringKey } = await import('../db/key-rotation.ts')
    return asOwner(url, 'key', (owner) => duringKey(owner, () => work(url)))
  })

export async function withHub<T>(work: (hub: OpenHub) => Promise<T>): Promise<T> {
  const { loadConfig } = await import('../config.ts')
  const { prepareDatabase } = await import('../db/migrate.ts')
  const config = loadConfig(process.env)
  const keys = await loadSecretKeys(config)
  const { databaseLogins } = config
  if (!databaseLogins) return withOwner(config, async (url) => withPools(config, await prepareDatabase(url, keys), keys, work))
  const { checkConfiguredLogins } = await import('../db/configured-logins.ts')
  await checkConfiguredLogins(databaseLogins, keys)
  return withPools(config, databaseLogins, keys, work)
}

async function withPools<T>(config: HubConfig, logins: Logins, keys: SecretKeys, work: (hub: OpenHub) => Promise<T>): Promise<T> {
  const { openPools } = await import('../db/pools.ts')
  const { actorSetting } = await import('../db/scope.ts')
  const { createSecretBox } = await import('../support/secrets/secret-box.ts')
  const { followDatabaseKey } = await import('../db/identity.ts')
  const { duringKey } = await import('../db/key-rotation.ts')
  const pools = openPools(logins)
  const change: OpenHub['change'] = (act) =>
    pools.system.begin(async (sql) => {
      await sql`select set_config('app.actor', ${actorSetting(operatorActor())}, true)`
      return act(sql)
    }) as Promise<never>
  const box = createSecretBox(keys)
  try {
    return await duringKey(pools.system, async () => {
      await followDatabaseKey(pools.system, box)
      return work({ config, pools, box, change })
    })
  } finally {
    await pools.close()
  }
}

/** The file of the generated key; null where the settings name the key. */
export const ownSecretKeyFile = (config: HubConfig): string | null => {
  const file = join(config.dataDir, 'secret-key')
  return config.secretKey === undefined && existsSync(file) ? file : null
}
