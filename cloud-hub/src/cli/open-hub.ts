import { existsSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { type HubConfig, loadConfig } from '../config.ts'
import { migrateDatabase } from '../db/migrate.ts'
import { openPools, type Pools, type TransactionSql } from '../db/pools.ts'
import { actorSetting } from '../db/scope.ts'
import { createSecretBox, type SecretBox } from '../support/secrets/secret-box.ts'
import { loadOrMakeSecretKey } from '../support/secrets/secret-key.ts'

/** The hub's database, up to date, for a command of whoever runs the hub. */
export interface OpenHub {
  config: HubConfig
  url: string
  pools: Pools
  box: SecretBox
  /** a transaction whose changes the audit trail ascribes to the hub's operator */
  change<T>(work: (sql: TransactionSql) => Promise<T>): Promise<T>
}

export const operatorActor = () => ({
  kind: 'operator' as const,
  id: 'command line',
  name: userInfo().username,
  ip: null,
  requestId: null,
})

/** Runs with the database of the configuration; an embedded one is joined when the hub runs, and started when it does not. */
export async function withDatabase<T>(config: HubConfig, work: (url: string) => Promise<T>): Promise<T> {
  if (config.databaseUrl) return work(config.databaseUrl.reveal())
  const { startEmbeddedPostgres } = await import('../db/embedded/index.ts')
  const embedded = await startEmbeddedPostgres({ dataDir: join(config.dataDir, 'postgres') })
  try {
    return await work(embedded.url())
  } finally {
    await embedded.stop()
  }
}

export async function withHub<T>(work: (hub: OpenHub) => Promise<T>): Promise<T> {
  const config = loadConfig(process.env)
  return withDatabase(config, async (url) => {
    await migrateDatabase(url)
    const pools = openPools(url)
    try {
      const box = createSecretBox(config.secretKey ?? (await loadOrMakeSecretKey(config.dataDir)))
      const change: OpenHub['change'] = (act) =>
        pools.system.begin(async (sql) => {
          await sql`select set_config('app.actor', ${actorSetting(operatorActor())}, true)`
          return act(sql)
        }) as Promise<never>
      return await work({ config, url, pools, box, change })
    } finally {
      await pools.close()
    }
  })
}

/** The key that the hub made for itself, if it did. */
export const ownSecretKeyFile = (config: HubConfig): string | null => {
  const file = join(config.dataDir, 'secret-key')
  return config.secretKey === undefined && existsSync(file) ? file : null
}
