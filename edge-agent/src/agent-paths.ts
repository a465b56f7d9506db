import { join } from 'node:path'
import type { AgentConfig } from './settings/schema.ts'
import { agentCommand } from './support/agent-command.ts'
import { authorities } from './support/authorities.ts'

/** Paths inside the data directory. */
export const bufferFile = (dataDir: string): string => join(dataDir, 'buffer.sqlite')
export const pkiDir = (dataDir: string): string => join(dataDir, 'pki')

/** How to trust a server's certificate, as the end of a sentence. */
export const trustAdvice =
  ({ file }: AgentConfig) =>
  (thumbprint: string): string =>
    `run: ${agentCommand(file, 'trust', thumbprint)}`

/** The CA certificates for TLS to the hub: Node's own, those of the system, and the configured `ca_file`. A given list replaces the default. */
export const trustedAuthorities = ({ uplink }: AgentConfig): string[] => authorities(uplink.caFile)
