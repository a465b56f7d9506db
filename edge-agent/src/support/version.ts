import { readFileSync } from 'node:fs'

/** This agent's version, as its package says. */
export const AGENT_VERSION: string = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version
