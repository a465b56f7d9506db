import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * The id of this data directory, made once: it tells two agents apart that were given one agent_id.
 * @param made what it becomes where there is none
 */
export function instanceId(dataDir: string, made: string = randomUUID()): string {
  const file = join(dataDir, 'instance-id')
  try {
    const known = readFileSync(file, 'utf8').trim()
    if (UUID.test(known)) return known
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  // Renamed into place, so that a power cut leaves no half of it.
  writeFileSync(`${file}.new`, `${made}\n`, { mode: 0o600 })
  renameSync(`${file}.new`, file)
  return made
}
