import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import type { HubConfig } from './config.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from './db/embedded/index.ts'
import { isUnreachable } from './db/errors.ts'
import { checkGivenLogins } from './db/given-logins.ts'
import type { Logins } from './db/login.ts'
import { prepareDatabase } from './db/migrate.ts'
import type { Logger } from './support/logger.ts'
import type { Secret } from './support/secrets/secret.ts'

/** Starts our own PostgreSQL in the data directory; null where the settings name another. */
export async function startOwnPostgres(config: HubConfig, logger: Logger): Promise<EmbeddedPostgres | null> {
  if (config.databaseUrl || config.databaseLogins) return null
  await mkdir(config.dataDir, { recursive: true, mode: 0o711 })
  const wanted = path.join(config.dataDir, 'postgres')
  const embedded = await startEmbeddedPostgres({
    dataDir: wanted,
    log: (line) => logger.debug({ source: 'postgres' }, line),
  })
  if (embedded.dataDir !== wanted)
    logger.warn(
      { database_dir: embedded.dataDir },
      "the database lives elsewhere: PostgreSQL's user cannot enter the data directory",
    )
  embedded.onExit(() => logger.error('PostgreSQL ended unexpectedly; it is being brought back'))
  return embedded
}

/** The logins of the pools. The owner is used here and never again; not at all where an administrator gave the logins. */
export async function prepareLogins(config: HubConfig, embedded: EmbeddedPostgres | null, secretKey: Secret): Promise<Logins> {
  try {
    if (config.databaseLogins) {
      await checkGivenLogins(config.databaseLogins, secretKey)
      return config.databaseLogins
    }
    return await prepareDatabase(embedded?.url() ?? config.databaseUrl?.reveal() ?? '', secretKey)
  } catch (error) {
    throw isUnreachable(error)
      ? new Error(`the database that DATABASE_URL names cannot be reached (${(error as Error).message})`)
      : error
  }
}
