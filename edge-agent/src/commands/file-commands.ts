import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { AgentConfig } from '../settings/schema.ts'
import { systemClock } from '../support/clock.ts'
import { formatCount } from './output.ts'

const print = (text: string): void => void process.stdout.write(`${text}\n`)
const complain = (text: string): void => void process.stderr.write(`${text}\n`)

/** Commands that read and write files of this computer. */
export function addFileCommands(
  command: (name: string, description: string) => Command,
  load: (options: { config: string }) => Promise<AgentConfig>,
): void {
  const buffer = command('buffer', 'show what waits in the buffer, or write it to a file')
    .option('--json', 'for programs')
    .action(async (options: { config: string; json?: boolean }) => {
      const { formatBuffer, inspectBuffer } = await import('./buffer-command.ts')
      const content = inspectBuffer(await load(options))
      print(options.json ? JSON.stringify(content, null, 2) : formatBuffer(content, systemClock.now()))
    })
  buffer
    .command('export')
    .description('write all waiting readings to a new file: CSV, or JSON lines where it ends in .json; they stay in the buffer')
    .argument('<file>', 'which must not exist')
    .action(async (file: string) => {
      const { exportBuffer } = await import('./buffer-command.ts')
      const progress = process.stderr.isTTY ? (n: number) => process.stderr.write(`\r${formatCount(n, 'reading')} ...`) : () => {}
      const { readings, damaged } = await exportBuffer(await load(buffer.opts()), file, progress)
      if (process.stderr.isTTY) process.stderr.write('\r\x1b[K')
      print(`${formatCount(readings, 'reading')} written to ${resolve(file)}.`)
      if (damaged > 0) complain(`${formatCount(damaged, 'chunk')} could not be read.`)
    })
  command('import', "make collectors of Telegraf's Modbus and OPC UA inputs")
    .argument('<file>', 'such as /etc/telegraf/telegraf.conf')
    .option('--machine <id>', 'machine_identifier of all (default: the tag `machine`, or the name of the input)')
    .option('--add', 'add them to the settings instead of printing them')
    .action(async (file: string, options: { config: string; machine?: string; add?: boolean }) => {
      const { importFile } = await import('./import-file.ts')
      importFile(file, options)
    })
}
