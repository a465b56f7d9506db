import { existsSync } from 'node:fs'
import Database from 'better-sqlite3'
import { bufferFile } from '../agent-paths.ts'
import { type DeadLetter, listDeadLetters, newestDeadLetter, requeuePortion } from '../buffer/dead-letters.ts'
import { readStats } from '../buffer/stats.ts'
import type { AgentConfig } from '../settings/schema.ts'
import { alignColumns, formatCount } from './output.ts'

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

/** Puts all dead letters back among the readings to be sent; the agent may run meanwhile. */
export function requeueDeadLetters(config: AgentConfig, now: () => number): { requeued: number; left: number } {
  const file = bufferFile(config.dataDir)
  if (!existsSync(file)) return { requeued: 0, left: 0 }
  const db = new Database(file, { timeout: 10_000 })
  try {
    const toId = newestDeadLetter(db)
    let requeued = 0
    for (let afterId = 0; ; ) {
      const portion = db.transaction(() => requeuePortion(db, afterId, toId, now())).immediate()
      requeued += portion.count
      afterId = portion.throughId
      if (portion.isDone) break
    }
    return { requeued, left: readStats(db).deadLetters }
  } finally {
    db.close()
  }
}

export function formatRequeue({ requeued, left }: { requeued: number; left: number }, isRunning: boolean): string {
  const rest = left > 0 ? `; ${formatCount(left, 'reading')} that cannot be sent remain` : ''
  if (requeued === 0) return `no dead letters to send again${rest}`
  const next = isRunning ? 'the running agent sends them again' : 'the agent sends them when it runs'
  return `${formatCount(requeued, 'reading')} put back into the buffer: ${next}${rest}`
}

export function formatDeadLetters(letters: readonly DeadLetter[]): string {
  if (letters.length === 0) return 'no dead letters: the hub has rejected nothing'
  const rows = letters.map(({ parkedAt, code, reason, reading }) => [
    new Date(parkedAt).toISOString(),
    ...(reading
      ? [reading.machine, reading.metric, `${reading.value} ${reading.unit}`, new Date(reading.timestamp).toISOString()]
      : ['damaged', '-', '-', '-']),
    `${code}: ${reason}`,
  ])
  return alignColumns([['parked', 'machine', 'metric', 'value', 'measured', 'why'], ...rows])
}
