import { execFileSync } from 'node:child_process'
import { rmSync, statfsSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { asOwner, checkMemory, embeddedDatabase, type HubProcess, hubProcess } from '../hub-process.ts'
import type { FaultRow } from '../row.ts'
import { heard } from '../sender.ts'
import { mountSmall } from '../small-disk.ts'
import { startStream } from '../stream.ts'

/** Room for a new database and three pieces of its log, which grows by 16 MB at a time. */
const DISK_MB = 160

/** Makes the hub's database and puts its log (pg_wal) on the large disk, as operators do: then the tables are what finds no room. */
async function moveLog(hub: HubProcess, dataDir: string, to: string): Promise<void> {
  await hub.start()
  await hub.stop()
  const log = path.join(dataDir, 'postgres/pg_wal')
  // keeps the owner, which as root is not us
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
      const disk = mountSmall(context, DISK_MB)
      const dataDir = path.join(disk, 'hub')
      const hub = await hubProcess(context, { DATA_DIR: dataDir })
      if (isLogElsewhere) await moveLog(hub, dataDir, path.join(context.dir, 'pg_wal'))
      await hub.start()
      const url = embeddedDatabase(dataDir).url()
      const { sending, alarms, finish } = await asOwner(url, (sql) => startStream(context, hub, sql, { pauseMs: 0 }))
      await sending.next(5)
      const beforeMb = hub.memory().now
      const freeMb = () => (statfsSync(disk).bavail * statfsSync(disk).bsize) / 1_048_576
      const ballast = path.join(disk, 'ballast')
      writeFileSync(ballast, Buffer.alloc(Math.max(freeMb() - context.times(40, 8), 0) * 1_048_576))
      context.say('the disk fills up')
      const refusals = () => sending.heard('503 database_full') + sending.heard('503 database_away')
      await sending.until('nothing more can be stored', () => refusals() > 0, 120_000)
      const stored = sending.yes()
      context.say('the disk is full')
      await context.sleep(context.times(20_000, 2_000))
      const asked = ['healthz', 'readyz'].map(async (page) => (await fetch(`${hub.url}/${page}`)).status)
      const [healthz, readyz] = await Promise.all(asked)
      if (healthz !== 200) context.complain(`GET /healthz was answered ${healthz}`)
      // where PostgreSQL itself goes on it says what is wrong, and so must the hub
      if (isLogElsewhere && sending.heard('503 database_full') === 0) context.complain('nobody was told that the disk is full')
      const memory = checkMemory(context, hub, beforeMb)
      const meanwhile = sending.yes() - stored
      context.say('there is room again')
      rmSync(ballast)
      const again = await sending.next(5)
      const counts = await finish(url)
      await hub.stop()
      const note = `${meanwhile} batches stored on the full disk, readyz ${readyz}, ${memory}, all again after ${again.toFixed(1)} s`
      return { counts, note: `${note}; ${alarms.raised()} alerts; ${heard(sending)}` }
    },
  }
}

export const diskFull = row(
  'disk.full',
  'the small disk that hub and PostgreSQL live on becomes full, and gets room again after a while',
  false,
)
export const tablesFull = row(
  'disk.full.tables',
  "the same, but PostgreSQL's log is on another disk, so it goes on and only the tables cannot grow",
  true,
)
