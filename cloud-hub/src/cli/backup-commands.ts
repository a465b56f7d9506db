import type { Command } from 'commander'

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
    .argument('<file>')
    .option('--json', 'as JSON')
    .description('restore a backup into an empty hub: a new DATA_DIR, or an empty database')
    .action(async (file: string, options: { json?: boolean }) => {
      const { restore } = await import('./backup.ts')
      await restore(file, options)
    })
}
