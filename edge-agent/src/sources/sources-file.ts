import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { AgentSource, AgentSources } from '@haltless/protocol'
import type { CollectorSource } from '../collectors/collector.ts'

const fileOf = (dataDir: string): string => join(dataDir, 'sources.json')

/** The sources that the hub gave last, with their passwords: for the agent's user only. @throws Error when the disk refuses */
export function writeSourcesFile(dataDir: string, set: AgentSources): void {
  const file = fileOf(dataDir)
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  // on disk before it takes the old one's place: a power cut leaves one of the two, whole
  const handle = openSync(`${file}.new`, 'w', 0o600)
  try {
    writeSync(handle, JSON.stringify(set))
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  renameSync(`${file}.new`, file)
}

/** @returns null when the hub never gave any. @throws Error when the file cannot be read */
export function readSourcesFile(dataDir: string): AgentSources | null {
  let text: string
  try {
    text = readFileSync(fileOf(dataDir), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
  return AgentSources.parse(JSON.parse(text))
}

/** One source of a set. @throws ZodError when this agent cannot read it */
export function collectorSourceOf(given: unknown): CollectorSource & { sourceId: string } {
  const { source_id, name, machine_identifier, host, port, poll_interval_seconds, ...rest } = AgentSource.parse(given)
  // people may give two sources one name
  const base = {
    sourceId: source_id,
    name: `${name} [${source_id.slice(0, 8)}]`,
    machine: machine_identifier,
    host,
    port,
    pollIntervalSeconds: poll_interval_seconds,
  }
  return rest.protocol === 'opcua'
    ? { ...base, protocol: 'opcua', config: rest.config }
    : { ...base, protocol: 'modbus', config: rest.config }
}

/** What the hub gave last, as far as it can be read: for commands of people. */
export function pushedCollectorSources(dataDir: string): CollectorSource[] {
  try {
    return (readSourcesFile(dataDir)?.sources ?? []).flatMap((given) => {
      try {
        return [collectorSourceOf(given)]
      } catch {
        return []
      }
    })
  } catch {
    return []
  }
}
