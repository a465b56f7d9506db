import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AgentSource, AgentSources } from '@haltless/protocol'
import type { CollectorSource } from '../collectors/collector.ts'
import { type DamageLog, quarantine, writeDurably } from '../support/durable-file.ts'
import type { RemoteAccess } from './remote-access.ts'

const fileOf = (dataDir: string): string => join(dataDir, 'sources.json')

/** The sources that the hub gave last, with their passwords: for the agent's user only. @throws Error when the disk refuses */
export const writeSourcesFile = (dataDir: string, set: AgentSources): void => writeDurably(fileOf(dataDir), JSON.stringify(set))

/**
 * A damaged file is set aside: the hub sends its sources again with the next heartbeat.
 * @returns null when there are none. @throws Error when the file cannot be read
 */
export function readSourcesFile(dataDir: string, log: DamageLog): AgentSources | null {
  const file = fileOf(dataDir)
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
  try {
    return AgentSources.parse(JSON.parse(text))
  } catch {
    quarantine(file, 'the file is damaged; the hub sends its polling sources again', log)
    return null
  }
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
  return { ...base, ...rest }
}

/** The ids of the sources that the hub gave last, also of those that this agent cannot run; null: the file is not there or cannot be read. */
export function pushedSourceIds(dataDir: string, log: DamageLog): Set<string> | null {
  try {
    const set = readSourcesFile(dataDir, log)
    return set && new Set(set.sources.map(({ source_id }) => source_id))
  } catch {
    return null
  }
}

/** What the hub gave last and this agent may poll, as far as it can be read: for commands of people. */
export function pushedCollectorSources(
  { dataDir, remote }: { dataDir: string; remote: Pick<RemoteAccess, 'isOn'> },
  log: DamageLog,
): CollectorSource[] {
  if (!remote.isOn) return []
  try {
    return (readSourcesFile(dataDir, log)?.sources ?? []).flatMap((given) => {
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
