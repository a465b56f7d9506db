import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentStatus } from './agent.ts'

/** The state of a running agent, for the `status` command and for tools on this machine. */
export interface StatusFile extends AgentStatus {
  pid: number
  agentId: string
  version: string
  /** Unix ms */
  startedAt: number
  writtenAt: number
}

const fileOf = (dataDir: string): string => join(dataDir, 'status.json')

/**
 * Replaces the file as a whole, so that a reader never sees half of it. It is not flushed: the agent rewrites it every few
 * seconds, and a damaged file reads as none.
 */
export function writeStatusFile(dataDir: string, status: StatusFile): void {
  const file = fileOf(dataDir)
  writeFileSync(`${file}.new`, `${JSON.stringify(status, null, 2)}\n`, { mode: 0o600 })
  renameSync(`${file}.new`, file)
}

/** @returns null when no agent ever ran on this data directory, or the file cannot be read */
export function readStatusFile(dataDir: string): StatusFile | null {
  try {
    return JSON.parse(readFileSync(fileOf(dataDir), 'utf8'))
  } catch {
    return null
  }
}
