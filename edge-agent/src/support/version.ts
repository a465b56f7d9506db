import { readFileSync } from 'node:fs'

/** This agent's version, from its package.json. */
export const AGENT_VERSION: string = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version
