import { type Command, InvalidArgumentError } from 'commander'
import type { RestoreAtOptions } from './restore-at.ts'

function atLeastOne(text: string): number {
  const number = Number(text)
  if (!Number.isInteger(number) || number < 1) throw new InvalidArgumentError('It must be a whole number from 1 on.')
  return number
}

export function addBackupCommands(program: Command): void {
  program
    .command('backup')
    .argument('<file>')
    .option('--json', 'as JSON')
    .option('--force', 'overwrite an existing file')
    .description('write all data of the hub into one file, while the hub runs')
    .action(async (file: string, options: { json?: boolean; force?: boolean }) => {
      const { backUp } = await import('./backup.ts')
      await backUp(file, options)
    })

  program
    .command('restore')
    .argument('[file]', 'a backup, for an empty hub')
    .option('--at <instant>', 'instead of a file: restore to an instant such as 2026-11-28T14:30:00Z, or to `latest`')
    .option('--from <folder>', 'with --at: an archive; default: WAL_ARCHIVE')
    .option('--base <label>', 'with --at: a base backup; default: the newest one before the instant')
    .option('--timeline <number>', 'with --at: the history to follow; default: that of the present database', atLeastOne)
    .option('--to <folder>', 'with --at: the data directory to prepare for a PostgreSQL that DATABASE_URL names')
    .option('--json', 'as JSON')
    .description('restore a backup into an empty hub, or the database to an instant')
    .action(async (file: string | undefined, options: Partial<RestoreAtOptions>) => {
      const { at } = options
      if ((file === undefined) === (at === undefined))
        program.error('error: `restore` needs either the file of a backup or --at with an instant')
      if (at !== undefined) {
        const { restoreAt } = await import('./restore-at.ts')
        return restoreAt({ ...options, at })
      }
      const { restore } = await import('./backup.ts')
      await restore(file as string, options)
    })

  program
    .command('finish-restore')
    .description('the last step of `restore --at` with DATABASE_URL, when PostgreSQL has recovered')
    .action(async () => {
      const { finishRestore } = await import('./restore-at.ts')
      await finishRestore()
    })

  program
    .command('base-backup')
    .option('--to <folder>', 'where it is written; default: `base` in WAL_ARCHIVE')
    .option('--keep <number>', 'then remove older base backups, and the WAL that none of the kept ones needs', atLeastOne)
    .option('--json', 'as JSON')
    .description('copy the whole database while the hub runs, as the beginning of restores to an instant')
    .action(async (options: { to?: string; keep?: number; json?: boolean }) => {
      const { baseBackup } = await import('./base-backup.ts')
      await baseBackup(options)
    })

  program
    .command('base-backups')
    .option('--json', 'as JSON')
    .description('list the base backups of WAL_ARCHIVE')
    .action(async (options: { json?: boolean }) => {
      const { printBaseBackups } = await import('./base-backup.ts')
      await printBaseBackups(options)
    })
}
