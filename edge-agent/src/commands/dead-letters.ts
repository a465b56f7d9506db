import { existsSync } from 'node:fs'
import Database from 'better-sqlite3'
import { bufferFile } from '../agent.ts'
import { type DeadLetter, listDeadLetters } from '../buffer/dead-letters.ts'
import type { AgentConfig } from '../config-schema.ts'
import { alignColumns } from './output.ts'

/** The newest readings that the hub rejected, newest first; the agent may run meanwhile. */
export function readDeadLetters(config: AgentConfig, limit: number): DeadLetter[] {
  const file = bufferFile(config.dataDir)
  if (!existsSync(file)) return []
  const db = new Database(file, { readonly: true, timeout: 2_000 })
  try {
    return listDeadLetters(db, limit)
  } finally {
    db.close()
  }
}

export function formatDeadLetters(letters: readonly DeadLetter[]): string {
  if (letters.length === 0) return 'no dead letters: the hub has rejected nothing'
  const rows = letters.map(({ parkedAt, code, reason, reading }) => [
    new Date(parkedAt).toISOString(),
    reading.machine,
    reading.metric,
    `${reading.value} ${reading.unit}`,
    new Date(reading.timestamp).toISOString(),
    `${code}: ${reason}`,
  ])
  return alignColumns([['parked', 'machine', 'metric', 'value', 'measured', 'why'], ...rows])
}
