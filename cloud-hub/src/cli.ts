import { Command } from 'commander'
import { ConfigError, loadConfig } from './config.ts'
import { migrateDatabase } from './db/migrate.ts'
import { openPools } from './db/pools.ts'
import { RolesMissing } from './db/roles.ts'
import { SUBSCRIPTION_STATUSES, SUBSCRIPTION_TIERS } from './db/tables/accounts.ts'
import { PortInUse, startHub } from './hub.ts'
import { createLogger } from './support/logger.ts'

/** A command was given something it cannot use; the message is for a terminal. */
class UsageError extends Error {}

/** `npm run hub -- COMMAND`: what whoever runs a hub needs. */
const program = new Command('hub')
  .description('The Haltless hub. Settings are environment variables; .env.example explains each.')
  .showHelpAfterError()

program
  .command('serve')
  .description('run the hub until it is told to stop (Ctrl-C or SIGTERM)')
  .action(async () => {
    const config = loadConfig(process.env)
    const logger = createLogger(config.logLevel)
    const starting = startHub(config, logger)
    // told to stop while it starts, it finishes that first: nothing half-made stays behind
    const end = async (signal: string) => {
      logger.info({ signal }, 'stopping')
      await starting.then(
        (hub) => hub.stop(),
        () => {},
      )
      process.exit(0)
    }
    process.once('SIGINT', end).once('SIGTERM', end)
    await starting
  })

const tenants = program.command('tenants').description('what no tenant can change by itself')
tenants
  .command('set-subscription')
  .argument('<tenant-id>')
  .argument('<status>', SUBSCRIPTION_STATUSES.join(', '))
  .argument('[tier]', SUBSCRIPTION_TIERS.join(', '))
  .description('change the subscription of a tenant; past_due and canceled make agents pause')
  .action(async (tenantId: string, status: string, tier: string | undefined) => {
    if (!(SUBSCRIPTION_STATUSES as readonly string[]).includes(status))
      throw new UsageError(`The status ${status} is not known; it is one of ${SUBSCRIPTION_STATUSES.join(', ')}.`)
    if (tier && !(SUBSCRIPTION_TIERS as readonly string[]).includes(tier))
      throw new UsageError(`The tier ${tier} is not known; it is one of ${SUBSCRIPTION_TIERS.join(', ')}.`)
    const config = loadConfig(process.env)
    await withDatabase(config, async (url) => {
      await migrateDatabase(url)
      const pools = openPools(url)
      try {
        const [row] = await pools.system<{ name: string; status: string; tier: string }[]>`
          update tenants set subscription_status = ${status}, subscription_tier = coalesce(${tier ?? null}, subscription_tier)
          where id::text = ${tenantId} returning name, subscription_status as status, subscription_tier as tier`
        if (!row) throw new UsageError(`There is no tenant ${tenantId}.`)
        console.log(`${row.name}: subscription ${row.status}, tier ${row.tier}`)
      } finally {
        await pools.close()
      }
    })
  })

/** Runs with the database of the configuration; an embedded one is joined when the hub runs, and started when it does not. */
async function withDatabase(config: ReturnType<typeof loadConfig>, work: (url: string) => Promise<void>): Promise<void> {
  if (config.databaseUrl) return work(config.databaseUrl.reveal())
  const { startEmbeddedPostgres } = await import('./db/embedded/index.ts')
  const { join } = await import('node:path')
  const embedded = await startEmbeddedPostgres({ dataDir: join(config.dataDir, 'postgres') })
  try {
    await work(embedded.url())
  } finally {
    await embedded.stop()
  }
}

program.parseAsync().catch((error) => {
  const isForPeople =
    error instanceof UsageError || error instanceof ConfigError || error instanceof RolesMissing || error instanceof PortInUse
  console.error(isForPeople ? error.message : `The hub could not go on: ${(error as Error).message}`)
  if (!isForPeople && process.env.LOG_LEVEL === 'debug') console.error(error)
  process.exit(1)
})
