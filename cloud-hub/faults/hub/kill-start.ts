import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { until } from '../../test/processes.ts'
import { asOwner, clusterProcesses, embeddedDatabase, hubProcess } from '../hub-process.ts'
import type { FaultRow } from '../row.ts'
import { heard } from '../sender.ts'
import { startStream } from '../stream.ts'

/** What shows that a part of the start has begun; the kill comes a moment later. */
const PARTS: readonly { what: string; hasBegun(dataDir: string): boolean }[] = [
  { what: 'the database is being made', hasBegun: (dir) => filesOf(dir).some((name) => name.startsWith('postgres.making-')) },
  { what: 'PostgreSQL starts', hasBegun: (dir) => filesOf(path.join(dir, 'postgres')).includes('postmaster.pid') },
  { what: 'the database is migrated', hasBegun: (dir) => /^ready/m.test(read(path.join(dir, 'postgres/postmaster.pid'))) },
]
/** A part takes about this long here. */
const PART_MS = 500

const filesOf = (dir: string) => (existsSync(dir) ? readdirSync(dir) : [])
const read = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : '')

export const startKill: FaultRow = {
  name: 'start.kill',
  area: 'hub',
  what: 'kill -9 while a new hub makes its database, migrates it and opens its ports, again and again on the same folder',
  async run(context) {
    const hub = await hubProcess(context)
    const dataDir = path.join(context.dir, 'hub')
    const kills = context.times(20, 3)
    for (let kill = 1; kill <= kills; kill++) {
      const wanted = Math.floor(((kill - 1) * PARTS.length) / kills)
      // a database that outlived a kill is not made again
      const isMade = existsSync(path.join(dataDir, 'postgres/PG_VERSION'))
      const part = PARTS[isMade ? Math.max(wanted, 1) : wanted] as (typeof PARTS)[number]
      context.say(`kill ${kill} of ${kills}: ${part.what}`)
      await until('PostgreSQL of the last start has ended', () => clusterProcesses(dataDir).length === 0, 60_000)
      hub.launch()
      await until(part.what, () => part.hasBegun(dataDir), 60_000)
      await context.sleep(context.chance.between(0, PART_MS))
      await hub.kill()
    }
    context.say('starting for good')
    const took = await hub.start()
    const database = embeddedDatabase(dataDir)
    const drafts = readdirSync(dataDir).filter((name) => name.includes('making'))
    if (drafts.length > 0) context.complain(`half-made databases are left behind: ${drafts.join(', ')}`)
    const stream = await asOwner(database.url(), (sql) => startStream(context, hub, sql))
    await stream.sending.next(5)
    const counts = await stream.finish(database.url())
    await hub.stop()
    return { counts, note: `${kills} kills, then up in ${took.toFixed(1)} s; ${heard(stream.sending)}` }
  },
}
