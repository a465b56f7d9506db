import { execFileSync } from 'node:child_process'
import { rmSync, statfsSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { asOwner, checkMemory, embeddedDatabase, type HubProcess, hubProcess } from '../hub-process.ts'
import type { FaultRow } from '../row.ts'
import { answerSummary } from '../sender.ts'
import { mountSmallDisk } from '../small-disk.ts'
import { startStream } from '../stream.ts'

/** Space for a new database and three WAL segments of 16 MB. */
const DISK_MB = 160

/** Creates the hub's database and moves pg_wal to the large disk, so that only the tables run out of space. */
async function moveLog(hub: HubProcess, dataDir: string, to: string): Promise<void> {
  await hub.start()
  await hub.stop()
  const log = path.join(dataDir, 'postgres/pg_wal')
  // keeps the owner, who is another user when we are root
  execFileSync('cp', ['-a', log, to])
  rmSync(log, { recursive: true })
  symlinkSync(to, log)
}

function row(name: string, what: string, isLogElsewhere: boolean): FaultRow {
  return {
    name,
    area: 'hub',
    what,
    async run(context) {
      const disk = mountSmallDisk(context, DISK_MB)
      const dataDir = path.join(disk, 'hub')
      const hub = await hubProcess(context, { DATA_DIR: dataDir })
      if (isLogElsewhere) await moveLog(hub, dataDir, path.join(context.dir, 'pg_wal'))
      await hub.start()
      const url = embeddedDatabase(dataDir).url()
      const { sending, alarms, finish } = await asOwner(url, (sql) => startStream(context, hub, sql, { pauseMs: 0 }))
      await sending.untilAccepted(5)
      const beforeMb = hub.memory().now
      const freeMb = () => (statfsSync(disk).bavail * statfsSync(disk).bsize) / 1_048_576
      // packed readings take about a byte each, their WAL much more
      const leftMb = isLogElsewhere ? context.fullOrShort(4, 1) : context.fullOrShort(40, 8)
      const ballast = path.join(disk, 'ballast')
      writeFileSync(ballast, Buffer.alloc(Math.max(freeMb() - leftMb, 0) * 1_048_576))
      context.say('the disk fills up')
      const refusals = () => sending.answered('503 database_full') + sending.answered('503 database_away')
      await sending.until('nothing can be stored any more', () => refusals() > 0, 120_000)
      const stored = sending.acceptedBatches()
      context.say('the disk is full')
      await context.sleep(context.fullOrShort(20_000, 2_000))
      const asked = ['healthz', 'readyz'].map(async (page) => (await fetch(`${hub.url}/${page}`)).status)
      const [healthz, readyz] = await Promise.all(asked)
      if (healthz !== 200) context.reportFailure(`GET /healthz was answered ${healthz}`)
      // PostgreSQL keeps running and reports the full disk, so the hub must report it too
      if (isLogElsewhere && sending.answered('503 database_full') === 0)
        context.reportFailure('the hub never answered 503 database_full')
      const memory = checkMemory(context, hub, beforeMb)
      const meanwhile = sending.acceptedBatches() - stored
      context.say('the disk has space again')
      rmSync(ballast)
      const again = await sending.untilAccepted(5)
      const counts = await finish(url)
      await hub.stop()
      const note = `${meanwhile} batches stored on the full disk, readyz ${readyz}, ${memory}, stored again after ${again.toFixed(1)} s`
      return { counts, note: `${note}; ${alarms.crossings()} alerts; ${answerSummary(sending)}` }
    },
  }
}

export const diskFull = row('disk.full', 'the disk of hub and PostgreSQL runs full, and has space again after a while', false)
export const tablesFull = row(
  'disk.full.tables',
  'as disk.full with pg_wal on another disk: PostgreSQL keeps running, and only the tables cannot grow',
  true,
)
