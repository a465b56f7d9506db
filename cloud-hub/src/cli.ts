import { Command } from 'commander'
import packageJson from '../package.json' with { type: 'json' }
import { addBackupCommands } from './cli/backup.ts'
import { addDoctorCommand } from './cli/doctor.ts'
import { addErpCommands } from './cli/erp.ts'
import { addEvidenceCommands } from './cli/evidence.ts'
import { addKeyCommands } from './cli/keys.ts'
import { addMigrateCommand } from './cli/migrate.ts'
import { addReleaseCommands } from './cli/releases.ts'
import { addTenantCommands } from './cli/tenants.ts'
import { UsageError } from './cli/terminal.ts'
import { addUserCommands } from './cli/users.ts'

import { ConfigError, loadConfig, plaintextWarning } from './config.ts'
import { ensureConsole } from './console-build.ts'

import { PortInUse } from './hub/listen.ts'
import { startHub } from './hub.ts'
import { OperatorError } from './support/errors.ts'
import { createLogger } from './support/logger.ts'

/** `npm run hub -- COMMAND`: the operator's command line. */
const program = new Command('hub')
  .description('The Haltless hub. Settings are environment variables; .env.example explains each.')
  .version(packageJson.version)
  .showHelpAfterError()

program
  .command('serve')
  .description('run the hub until Ctrl-C or SIGTERM stops it')
  .action(async () => {
    const config = loadConfig(process.env)
    if (config.roles.has('api')) await ensureConsole(console.log)
    const logger = createLogger(config.logLevel)
    const warning = plaintextWarning(config)
    if (warning) {
      logger.warn({ host: config.host }, warning)
      console.error(`Warning: ${warning}`)
    }
    const starting = startHub(config, logger)
    // a stop during the start waits for the start to finish, so that no half-started part remains
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

addTenantCommands(program)
addUserCommands(program)
addKeyCommands(program)
addReleaseCommands(program)
addErpCommands(program)
addEvidenceCommands(program)
addDoctorCommand(program)
addMigrateCommand(program)
addBackupCommands(program)

program.parseAsync().catch((error) => {
  const isForPeople =
    error instanceof UsageError || error instanceof ConfigError || error instanceof OperatorError || error instanceof PortInUse
  console.error(isForPeople ? error.message : `The hub stopped because of an error: ${(error as Error).message}`)
  if (!isForPeople && process.env.LOG_LEVEL === 'debug') console.error(error)
  process.exit(1)
})
