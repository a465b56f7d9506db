import { closeSync, openSync, statSync, writeSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { until } from '../../test/processes.ts'
import type { FaultRow, RowContext } from '../row.ts'
import type { AgentProcess } from './agent-process.ts'
import { pollWindow, startSite } from './site.ts'

/** The time from the restart until the agent has stored new readings in its buffer. */
const BACK_SECONDS = 10
const PAGE_BYTES = 4_096
/** A running agent always has what it polled in the last second. */
const NEARLY_EMPTY = 15_000

/** The schema and the counters lie before: without them nobody can tell how many readings are lost. */
const FIRST_PAGE = 14

/** Overwrites a tenth of the pages, in a row, with noise: sectors of a disk that fail. @returns how many */
function damage(context: RowContext, file: string): number {
  const pages = Math.floor(statSync(file).size / PAGE_BYTES)
  const count = Math.max(1, Math.floor(pages / 10))
  const from = context.random.whole(FIRST_PAGE, pages - count)
  const handle = openSync(file, 'r+')
  try {
    const noise = Buffer.from(Array.from({ length: count * PAGE_BYTES }, () => context.random.whole(0, 255)))
    writeSync(handle, noise, 0, noise.length, from * PAGE_BYTES)
  } finally {
    closeSync(handle)
  }
  return count
}

/** Moves the log into the main file, so that damage of the latter counts. */
function checkpoint(file: string): void {
  const db = new DatabaseSync(file)
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
}

/** @returns null while the agent replaces the damaged file, which SQLite then cannot read */
function bufferedOrNull(agent: Pick<AgentProcess, 'counts'>): number | null {
  try {
    return agent.counts().buffered
  } catch {
    return null
  }
}

export const edgeBufferDamaged: FaultRow = {
  name: 'edge.buffer-damaged',
  area: 'edge',
  mayDropReadings: true,
  what: 'pages of the buffer turn into noise while the agent is disconnected: it takes over what can be read, and declares the rest lost',
  async run(context) {
    const site = await startSite(context, {
      plant: { units: 4, tags: 60, pollSeconds: 0.02 },
      // an agent that restarts without the hub does not know how far the clocks differ, and dates OPC UA by its polls too
      window: pollWindow,
    })
    const file = path.join(site.agent.dataDir, 'buffer.sqlite')
    let [pages, slowest] = [0, 0]
    const rounds = context.fullOrShort(6, 2)
    for (let round = 1; round <= rounds; round++) {
      context.say(`damage ${round} of ${rounds}`)
      // What the hub has stored without the agent knowing would be declared lost, so nothing is under way when the hub goes.
      await until(
        'nothing is under way',
        async () => {
          await site.untilMoreStored(500)
          await until('the backlog has been sent', () => (bufferedOrNull(site.agent) ?? NEARLY_EMPTY) < NEARLY_EMPTY, 180_000)
          await site.stopAgent()
          const isEmpty = site.agent.counts().buffered === 0
          if (isEmpty) {
            site.http.hold()
            site.mqtt.hold()
          }
          await site.agent.start()
          return isEmpty
        },
        180_000,
      )
      await site.serve(context.fullOrShort(300_000, 30_000))
      let damagedAt = 0
      await site.killAgent(() => {
        checkpoint(file)
        pages += damage(context, file)
        damagedAt = performance.now()
      })
      const before = bufferedOrNull(site.agent) ?? 0
      await until('the buffer takes new readings', () => (bufferedOrNull(site.agent) ?? 0) > before, 30_000)
      slowest = Math.max(slowest, (performance.now() - damagedAt) / 1_000)
      site.http.release(false)
      site.mqtt.release(false)
      await site.untilMoreStored()
    }
    if (slowest > BACK_SECONDS) context.reportFailure(`the agent took ${slowest.toFixed(1)} s to take new readings`)
    const found = await site.finish()
    if (found.declared === 0) context.reportFailure('the damage hit no reading')
    const { counts, declared } = found
    // What was in flight at a kill may have reached the buffer and be damaged there: the ledger does not count it as lost.
    const isExact = declared >= counts.lost && declared <= counts.lost + counts.inFlight
    return {
      counts,
      declared: isExact ? counts.lost : declared,
      note: `${pages} pages damaged in ${rounds} rounds; ${declared} readings declared lost; new ones stored after at most ${slowest.toFixed(1)} s`,
    }
  },
}
