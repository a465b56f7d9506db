import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { TomlError } from 'smol-toml'
import { stringify } from 'yaml'
import { writeSettings } from '../enrolment/settings-file.ts'
import { loadConfig } from '../settings/config.ts'
import { ConfigError } from '../settings/tree.ts'
import { agentCommand } from '../support/agent-command.ts'
import { fileErrorMessage } from '../support/error-message.ts'
import { addCollectors } from './add-nodes.ts'
import { formatCount } from './output.ts'
import { importTelegraf } from './telegraf.ts'

const print = (text: string): void => void process.stdout.write(`${text}\n`)
const complain = (text: string): void => void process.stderr.write(`${text}\n`)

export function importFile(file: string, { config, machine, add }: { config: string; machine?: string; add?: boolean }): void {
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
