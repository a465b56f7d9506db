import { fileURLToPath } from 'node:url'
import { shellQuote } from './shell-quote.ts'

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url))

/** How a person calls this program: as its package says in HALTLESS_AGENT_COMMAND, through npm in a checkout, or with Node. */
export function commandName(): string {
  const { HALTLESS_AGENT_COMMAND: packaged, npm_lifecycle_event: npmScript } = process.env
  if (packaged) return packaged
  return npmScript === 'agent' ? 'npm run -s agent --' : [process.execPath, MAIN].map(shellQuote).join(' ')
}

/**
 * A command of this agent as the person calls it, quoted for a POSIX shell. A package says in HALTLESS_AGENT_CONFIG where its settings are
 * unless the command names others.
 * @param config the file of its settings, absolute
 */
export function agentCommand(config: string, name: string, ...args: readonly string[]): string {
  const { HALTLESS_AGENT_COMMAND: packaged, HALTLESS_AGENT_CONFIG: usual } = process.env
  const rest = [name, ...(packaged && config === usual ? [] : ['--config', config]), ...args].map(shellQuote).join(' ')
  return `${commandName()} ${rest}`
}
