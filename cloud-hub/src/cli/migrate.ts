import type { Command } from 'commander'
import { withOwner } from './open-hub.ts'

export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .option('--json', 'as JSON')
    .description("migrate the database to this version, as its owner; for hubs that run without the owner's credentials")
    .action(async ({ json }: { json?: boolean }) => {
      const { loadConfig } = await import('../config.ts')
      const { prepareDatabase, prepareTables } = await import('../db/migrate.ts')
      const { appliedMigrations } = await import('../db/migrations.ts')
      const { asOwner } = await import('../db/owner.ts')
      const { loadSecretKeys } = await import('../support/secrets/secret-key.ts')
      const config = loadConfig(process.env)
      await withOwner(config, async (url) => {
        const list = () => asOwner(url, 'migrations', appliedMigrations)
        const before = (await list()).length
        const keys = await loadSecretKeys(config)
        if (config.databaseLogins) await prepareTables(url, keys)
        else await prepareDatabase(url, keys)
        const applied = (await list()).slice(before).map(({ tag }) => tag)
        if (json) console.log(JSON.stringify({ applied, migrations: before + applied.length }))
        else
          console.log(
            applied.length > 0 ? `Applied ${applied.join(', ')}.` : `Nothing to do: all ${before} migrations are applied.`,
          )
      })
    })
}
