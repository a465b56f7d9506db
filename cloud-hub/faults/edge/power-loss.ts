import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, openSync, rmSync, statSync, truncateSync, writeFileSync, writeSync } from 'node:fs'
import path from 'node:path'
import type { Random } from '../random.ts'
import type { FaultRow } from '../row.ts'
import { secondsRange } from '../sender.ts'
import { startSite } from './site.ts'
import { readWal } from './wal.ts'

/** Pages of the main file that a checkpoint may have been writing. */
const TORN_PAGES = 16

/**
 * Does to the files of a killed agent what a power loss does to what was not flushed: the log behind its last commit is cut, or noise; pages that
 * a checkpoint was copying from the log are half written; the index of the log, which is never flushed, is gone; and so is the content of the
 * status file.
 * @returns torn pages
 */
export function losePower(dataDir: string, random: Random): number {
  const file = path.join(dataDir, 'buffer.sqlite')
  rmSync(`${file}-shm`, { force: true })
  writeFileSync(path.join(dataDir, 'status.json'), '')
  const wal = existsSync(`${file}-wal`) ? readWal(`${file}-wal`) : null
  if (!wal) return 0
  const { committedBytes, pageSize, pages } = wal
  truncateSync(`${file}-wal`, Math.max(committedBytes, 32))
  if (random.uniform() < 0.5) write(`${file}-wal`, randomBytes(random.whole(1, 4 * pageSize)), Math.max(committedBytes, 32))
  const inFile = pages.filter((page) => page * pageSize <= statSync(file).size)
  const torn = random.shuffle(inFile).slice(0, TORN_PAGES)
  for (const page of torn) {
    const from = random.whole(0, pageSize - 1)
    write(file, randomBytes(pageSize - from), (page - 1) * pageSize + from)
  }
  return torn.length
}

function write(file: string, bytes: Uint8Array, at: number): void {
  const handle = openSync(file, 'r+')
  try {
    writeSync(handle, bytes, 0, bytes.length, at)
  } finally {
    closeSync(handle)
  }
}

export const edgePowerLoss: FaultRow = {
  name: 'edge.power-loss',
  area: 'edge',
  what: 'the computer of the agent loses power: what it did not flush is cut, half written or noise',
  async run(context) {
    const site = await startSite(context, { plant: { pollSeconds: 0.05 } })
    const losses = context.fullOrShort(20, 3)
    const back: number[] = []
    let torn = 0
    for (let loss = 1; loss <= losses; loss++) {
      context.say(`power loss ${loss} of ${losses}`)
      await site.untilMoreStored(500)
      // Half of the losses meet a buffer that is growing.
      if (loss % 2 === 0) {
        site.http.hold()
        site.mqtt.hold()
        await site.serve(context.fullOrShort(20_000, 2_000))
      }
      await context.sleep(context.random.between(0, 500))
      const lostAt = performance.now()
      await site.killAgent(() => {
        torn += losePower(site.agent.dataDir, context.random)
      })
      if (loss % 2 === 0) {
        // the connections of the killed agent are gone, with all data on them
        site.http.release(false)
        site.mqtt.release(false)
      }
      await site.untilMoreStored()
      back.push((performance.now() - lostAt) / 1_000)
    }
    if (torn === 0) context.reportFailure('no loss met a page that a checkpoint could have been writing')
    const damaged = site.agent.logged('is damaged').length
    if (damaged > 0)
      context.reportFailure('the agent found its buffer damaged, although a power loss damages nothing that was flushed')
    const found = await site.finish()
    return {
      ...found,
      note: `${losses} losses, ${torn} pages half written, stored again after ${secondsRange(back)}; ${found.counts.inFlight} in flight`,
    }
  },
}
