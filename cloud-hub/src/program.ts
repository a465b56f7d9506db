import { Command } from 'commander'
import packageJson from '../package.json' with { type: 'json' }
import { addBackupCommands } from './cli/backup-commands.ts'
import { addDoctorCommand } from './cli/doctor-command.ts'
import { addErpCommands } from './cli/erp.ts'
import { addEvidenceCommands } from './cli/evidence.ts'
import { addKeyCommands } from './cli/keys.ts'
import { addMigrateCommand } from './cli/migrate.ts'
import { addReleaseCommands } from './cli/releases.ts'
import { addTenantCommands } from './cli/tenants.ts'
import { addUserCommands } from './cli/users.ts'

/** `npm run hub -- COMMAND`: the operator's command line. The action of a command imports what that command needs, because this takes most of its time. */
export const program = new Command('hub')
  .description('The Haltless hub. Settings are environment variables; .env.example explains each.')
  .version(packageJson.version)
  .showHelpAfterError()

program
  .command('serve')
  .description('run the hub until Ctrl-C or SIGTERM stops it')
  .action(async () => {
    const { serve } = await import('./serve.ts')
    await serve()
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
