import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { TomlError } from 'smol-toml'
import { stringify } from 'yaml'
import { loadConfig } from '../config.ts'
import type { AgentConfig } from '../config-schema.ts'
import { ConfigError } from '../config-tree.ts'
import { writeSettings } from '../enrolment/settings-file.ts'
import { agentCommand } from '../support/agent-command.ts'
import { systemClock } from '../support/clock.ts'
import { fileErrorMessage } from '../support/error-message.ts'
import { addCollectors } from './add-nodes.ts'
import { exportBuffer, formatBuffer, inspectBuffer } from './buffer-command.ts'
import { formatCount } from './output.ts'
import { importTelegraf } from './telegraf.ts'

const print = (text: string): void => void process.stdout.write(`${text}\n`)
const complain = (text: string): void => void process.stderr.write(`${text}\n`)

/** Commands that read and write files of this computer. */
export function addFileCommands(
  command: (name: string, description: string) => Command,
  load: (options: { config: string }) => AgentConfig,
): void {
  const buffer = command('buffer', 'show what waits in the buffer, or write it to a file')
    .option('--json', 'for programs')
    .action((options: { config: string; json?: boolean }) => {
      const content = inspectBuffer(load(options))
      print(options.json ? JSON.stringify(content, null, 2) : formatBuffer(content, systemClock.now()))
    })
  buffer
    .command('export')
    .description('write all waiting readings to a new file: CSV, or JSON lines where it ends in .json; they stay in the buffer')
    .argument('<file>', 'which must not exist')
    .action(async (file: string) => {
      const progress = process.stderr.isTTY ? (n: number) => process.stderr.write(`\r${formatCount(n, 'reading')} ...`) : () => {}
      const { readings, damaged } = await exportBuffer(load(buffer.opts()), file, progress)
      if (process.stderr.isTTY) process.stderr.write('\r\x1b[K')
      print(`${formatCount(readings, 'reading')} written to ${resolve(file)}.`)
      if (damaged > 0) complain(`${formatCount(damaged, 'chunk')} could not be read.`)
    })
  command('import', "make collectors of Telegraf's Modbus and OPC UA inputs")
    .argument('<file>', 'such as /etc/telegraf/telegraf.conf')
    .option('--machine <id>', 'machine_identifier of all (default: the tag `machine`, or the name of the input)')
    .option('--add', 'add them to the settings instead of printing them')
    .action((file: string, options: { config: string; machine?: string; add?: boolean }) => importFile(file, options))
}

function importFile(file: string, { config, machine, add }: { config: string; machine?: string; add?: boolean }): void {
  const { collectors, notes } = readTelegraf(file, machine)
  if (collectors.length > 0 && !add) print(stringify({ collectors }, { lineWidth: 0 }).trimEnd())
  if (collectors.length > 0 && add) {
    const settings = resolve(config)
    const before = addCollectors(settings, collectors)
    try {
      loadConfig(settings, process.env)
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      writeSettings(settings, before)
      throw new Error(
        `Nothing was written, because the settings would have faults:\n${error.faults.map((fault) => `  - ${fault}`).join('\n')}`,
      )
    }
    print(`${formatCount(collectors.length, 'collector')} added to ${settings}. Then: ${agentCommand(settings, 'check')}`)
  }
  if (collectors.length > 0) notes.push('Telegraf knows no units: replace `unknown` by those of the values')
  else complain(`${file} has no input that becomes a collector.`)
  for (const note of notes) complain(`note  ${note}`)
  if (collectors.length === 0) process.exitCode = 1
}

function readTelegraf(file: string, machine: string | undefined) {
  try {
    return importTelegraf(readFileSync(file, 'utf8'), machine)
  } catch (error) {
    if (error instanceof TomlError)
      throw new Error(`${file} is not a configuration of Telegraf: line ${error.line}: ${error.message.split('\n')[0]}`)
    throw new Error(`${file} cannot be read: ${fileErrorMessage(error)}`)
  }
}
