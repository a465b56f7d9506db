import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fault } from '@haltless/protocol'
import { writeDurably } from '../../support/durable-file.ts'
import type { Collector, CollectorSource, CollectorStatus } from '../collector.ts'

/** An end of the agent by a fault that nothing caught. */
interface RecordedEnd {
  /** Unix ms */
  at: number
  /** in whose code; null: in none of a collector */
  collector: string | null
  /** its message */
  fault: string
}

/** So many ends in this time, all in the code of one collector, and the agent starts without it. */
const ENDS_MAX = 5
const WITHIN_MS = 600_000
const KEPT = 20

const fileOf = (dataDir: string): string => path.join(dataDir, 'ended-by.json')

/** The recorded ends, the oldest first; none where the file is missing or damaged. */
function readEnds(dataDir: string): RecordedEnd[] {
  try {
    const found: unknown = JSON.parse(readFileSync(fileOf(dataDir), 'utf8'))
    return Array.isArray(found) ? found.filter(isEnd) : []
  } catch {
    return []
  }
}

const isEnd = (end: unknown): end is RecordedEnd =>
  typeof end === 'object' && end !== null && typeof Reflect.get(end, 'at') === 'number'

/** Records that the agent ends by a fault. Never throws: the disk may be the reason. */
export function recordEnd(dataDir: string, end: RecordedEnd): void {
  try {
    writeDurably(fileOf(dataDir), `${JSON.stringify([...readEnds(dataDir), end].slice(-KEPT))}\n`)
  } catch {} // the log names the fault
}

/** Collectors that the agent starts without, because each ended it five times in ten minutes, and with which fault. */
export function leftOut(dataDir: string, now: number): Map<string, string> {
  const recent = readEnds(dataDir).filter(({ at }) => at > now - WITHIN_MS && at <= now)
  const byCollector = Map.groupBy(recent, ({ collector }) => collector)
  const faults = new Map<string, string>()
  for (const [collector, ends] of byCollector)
    if (collector !== null && ends.length >= ENDS_MAX) faults.set(collector, String(ends.at(-1)?.fault))
  return faults
}

/** Stands for a collector that the agent starts without. */
export function leftOutCollector({ name }: CollectorSource, reason: string): Collector {
  const found = fault('collector_left_out', { reason })
  const status: CollectorStatus = {
    state: 'failing',
    detail: found.detail,
    fault: found,
    lastAnswerAt: null,
    lastReadAt: null,
    readingsTotal: 0,
    badValuesTotal: 0,
    badTags: [],
    missedPolls: { skipped: 0, failed: 0 },
  }
  let state: CollectorStatus['state'] = 'failing'
  return {
    name,
    start: () => {},
    stop: async () => {
      state = 'stopped'
    },
    status: () => ({ ...status, state, ...(state === 'stopped' && { detail: '', fault: null }) }),
  }
}
