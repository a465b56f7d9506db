import { fileURLToPath } from 'node:url'
import { shellQuote } from './shell-quote.ts'

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url))

/**
 * A command of this agent as people can run it from any folder, quoted for a POSIX shell. A package says in HALTLESS_AGENT_COMMAND how
 * it is called, and in HALTLESS_AGENT_CONFIG where its settings are unless the command names others.
 * @param config the file of its settings, absolute
 */
export function agentCommand(config: string, name: string, ...args: readonly string[]): string {
  const { HALTLESS_AGENT_COMMAND: packaged, HALTLESS_AGENT_CONFIG: usual } = process.env
  const rest = [name, ...(packaged && config === usual ? [] : ['--config', config]), ...args].map(shellQuote).join(' ')
  return `${packaged || [process.execPath, MAIN].map(shellQuote).join(' ')} ${rest}`
}
