import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDiskUnusable } from './disk-errors.ts'
import { type DamageLog, quarantine, writeDurably } from './durable-file.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * The id of this data directory, made once: it tells two agents apart that were given one agent_id. A damaged one is set aside.
 * @param made what it becomes where there is none
 */
export function instanceId(dataDir: string, log: DamageLog, made: string = randomUUID()): string {
  const file = join(dataDir, 'instance-id')
  try {
    const known = readFileSync(file, 'utf8').trim()
    if (UUID.test(known)) return known
    quarantine(file, 'the file is damaged; the agent has a new instance id', log)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  try {
    writeDurably(file, `${made}\n`)
  } catch (error) {
    // Written once the buffer has its disk back.
    if (!isDiskUnusable(error, dataDir)) throw error
  }
  return made
}
