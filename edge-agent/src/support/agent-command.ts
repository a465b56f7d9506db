import { fileURLToPath } from 'node:url'
import { shellQuote } from './shell-quote.ts'

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url))

/** A command of this agent as people can run it from any folder, quoted for a POSIX shell. @param config the file of its settings, absolute */
export const agentCommand = (config: string, name: string, ...args: readonly string[]): string =>
  [process.execPath, MAIN, name, '--config', config, ...args].map(shellQuote).join(' ')
