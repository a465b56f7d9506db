import path from 'node:path'
import type { HubConfig } from '../config.ts'
import { checkConfiguredLogins } from '../db/configured-logins.ts'
import { type EmbeddedPostgres, sharedBuffersMb, startEmbeddedPostgres } from '../db/embedded/index.ts'
import { isUnreachable } from '../db/errors.ts'
import type { Login, Logins } from '../db/login.ts'
import { prepareDatabase } from '../db/migrate.ts'
import { openPools, type Pools } from '../db/pools.ts'
import { archiving } from '../db/recovery/index.ts'
import { joinReplicas } from '../db/replicas.ts'
import { overSocket } from '../db/socket-logins.ts'
import { standardsOf } from '../features/people/limits/index.ts'
import type { Metrics } from '../metrics.ts'
import type { Clock } from '../support/clock.ts'
import { makeDataDir } from '../support/data-dir.ts'
import type { Logger } from '../support/logger.ts'
import { createSecretBox, type SecretBox, type SecretKeys } from '../support/secrets/secret-box.ts'
import { adoptSecretKey, loadSecretKeys } from '../support/secrets/secret-key.ts'
import { observeDatabase } from './database-metrics.ts'
import type { Shutdown } from './shutdown.ts'

export interface Database {
  /** of this hub among those that share the database */
  hubId: string
  pools: Pools
  /** for connections of other threads */
  systemLogin: Login
  /** encrypts with the key that the database names */
  box: SecretBox
  /** true: no other hub shares the database */
  isAlone(): boolean
  /** see `Replicas` */
  allReadArrivals(): boolean
  /** directory of the embedded PostgreSQL, which may differ from the data directory; null when the database is external */
  embeddedDir: string | null
}

/**
 * Opens the database: starts the embedded PostgreSQL unless the settings name another, migrates, opens the pools and registers
 * this replica.
 */
export async function openDatabase(
  config: HubConfig,
  { clock, logger, metrics, shutdown }: { clock: Clock; logger: Logger; metrics: Metrics; shutdown: Shutdown },
): Promise<Database> {
  const embedded = await startOwnPostgres(config, logger)
  shutdown.defer(() => embedded?.stop())
  const keys = await loadSecretKeys(config)
  const logins = await prepareLogins(config, embedded, keys, logger)
  const pools = openPools(logins, config.requestTimeoutSeconds)
  shutdown.defer(() => pools.close())
  observeDatabase(metrics, {
    pools,
    clock,
    heartbeatSeconds: config.heartbeatSeconds,
    standards: standardsOf(config.attachments.tenantBytes),
    walArchive: config.walArchive,
  })
  const box = createSecretBox(keys)
  const replicas = await joinReplicas({ ...pools, box, logger })
  shutdown.defer(replicas.leave)
  // a rotation or a restore may have been interrupted right before this
  if (!config.secretKey) await adoptSecretKey(config.dataDir, box.fingerprint)
  return {
    hubId: replicas.id,
    pools,
    systemLogin: logins.haltless_system,
    box,
    isAlone: replicas.isAlone,
    allReadArrivals: replicas.allReadArrivals,
    embeddedDir: embedded?.dataDir ?? null,
  }
}

async function startOwnPostgres(config: HubConfig, logger: Logger): Promise<EmbeddedPostgres | null> {
  if (config.databaseUrl || config.databaseLogins) return null
  await makeDataDir(config.dataDir)
  const wanted = path.join(config.dataDir, 'postgres')
  const embedded = await startEmbeddedPostgres({
    dataDir: wanted,
    sharedBuffersMb: config.sharedBuffersMb ?? sharedBuffersMb(),
    archive: archiving(config.walArchive),
    log: (line) => logger.debug({ source: 'postgres' }, line),
  })
  if (embedded.dataDir !== wanted)
    logger.warn(
      { database_dir: embedded.dataDir },
      "the database is in another directory, because PostgreSQL's user cannot access the data directory",
    )
  embedded.onExit(() => logger.error('PostgreSQL ended unexpectedly; the hub is restarting it'))
  return embedded
}

/**
 * The logins of the pools. Only this function uses the owner's login, and not even this one where an administrator created the
 * logins.
 */
async function prepareLogins(
  config: HubConfig,
  embedded: EmbeddedPostgres | null,
  keys: SecretKeys,
  logger: Logger,
): Promise<Logins> {
  try {
    if (config.databaseLogins) {
      await checkConfiguredLogins(config.databaseLogins, keys)
      return config.databaseLogins
    }
    const logins = await prepareDatabase(embedded?.url() ?? config.databaseUrl?.reveal() ?? '', keys)
    return embedded?.socket ? await overSocket(logins, embedded.socket, logger) : logins
  } catch (error) {
    throw isUnreachable(error)
      ? new Error(`the database that DATABASE_URL names cannot be reached (${(error as Error).message})`)
      : error
  }
}
