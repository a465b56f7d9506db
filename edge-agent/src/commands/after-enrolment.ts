import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import { loadConfig } from '../settings/config.ts'
import { ConfigError } from '../settings/tree.ts'
import { agentCommand } from '../support/agent-command.ts'

/** A package says in HALTLESS_AGENT_UNIT which systemd unit runs the agent. */
const UNIT_VARIABLE = 'HALTLESS_AGENT_UNIT'

/**
 * Restarts the unit of the package, so that the agent uses its credential.
 * @param file the settings, absolute
 * @returns what the person does next, in sentences
 */
export async function afterEnrolment(file: string): Promise<string> {
  try {
    const { collectors } = loadConfig(file, process.env)
    const started = await restartUnit(file)
    const next =
      collectors.length === 0
        ? `It reads nothing yet: name what it reads under collectors in ${file}, or create polling sources in the hub.`
        : `Test what it reads with: ${agentCommand(file, 'check')}`
    return `${started}\n${next}`
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return `The agent is enrolled, and its settings have faults that keep it from running.\n${error.message}`
  }
}

async function restartUnit(file: string): Promise<string> {
  const { [UNIT_VARIABLE]: unit, HALTLESS_AGENT_CONFIG: usual } = process.env
  if (!unit || file !== usual || process.getuid?.() !== 0 || !existsSync('/run/systemd/system'))
    return `Start the agent with: ${unit && file === usual ? `sudo systemctl restart ${unit}` : agentCommand(file, 'run')}`
  try {
    await promisify(execFile)('systemctl', ['restart', unit])
    return 'The agent was started; from now on it starts with this computer.'
  } catch {
    return `The agent could not be started: see journalctl -u ${unit}, then run: sudo systemctl restart ${unit}`
  }
}
