import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { until } from '../../test/processes.ts'
import { asOwner, clusterProcesses, embeddedDatabase, hubProcess } from '../hub-process.ts'
import type { FaultRow } from '../row.ts'
import { answerSummary } from '../sender.ts'
import { startStream } from '../stream.ts'

/** Signs that a phase of the start has begun; the kill follows a moment later. */
const PARTS: readonly { what: string; hasBegun(dataDir: string): boolean }[] = [
  { what: 'the hub creates the database', hasBegun: (dir) => filesOf(dir).some((name) => name.startsWith('postgres.making-')) },
  { what: 'PostgreSQL starts', hasBegun: (dir) => filesOf(path.join(dir, 'postgres')).includes('postmaster.pid') },
  { what: 'the hub migrates the database', hasBegun: (dir) => /^ready/m.test(read(path.join(dir, 'postgres/postmaster.pid'))) },
]
/** The usual duration of a phase here. */
const PART_MS = 500

const filesOf = (dir: string) => (existsSync(dir) ? readdirSync(dir) : [])
const read = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : '')

export const startKill: FaultRow = {
  name: 'start.kill',
  area: 'hub',
  what: 'kill -9 while a new hub creates its database, migrates it and opens its ports, repeatedly in the same folder',
  async run(context) {
    const hub = await hubProcess(context)
    const dataDir = path.join(context.dir, 'hub')
    const kills = context.fullOrShort(20, 3)
    for (let kill = 1; kill <= kills; kill++) {
      const wanted = Math.floor(((kill - 1) * PARTS.length) / kills)
      // a database that survived a kill is not created again
      const isMade = existsSync(path.join(dataDir, 'postgres/PG_VERSION'))
      const part = PARTS[isMade ? Math.max(wanted, 1) : wanted] as (typeof PARTS)[number]
      context.say(`kill ${kill} of ${kills}: ${part.what}`)
      await until('PostgreSQL of the last start has ended', () => clusterProcesses(dataDir).length === 0, 60_000)
      hub.launch()
      await until(part.what, () => part.hasBegun(dataDir), 60_000)
      await context.sleep(context.random.between(0, PART_MS))
      await hub.kill()
    }
    context.say('starting without a kill')
    const took = await hub.start()
    const database = embeddedDatabase(dataDir)
    const drafts = readdirSync(dataDir).filter((name) => name.includes('making'))
    if (drafts.length > 0) context.reportFailure(`incomplete databases are left behind: ${drafts.join(', ')}`)
    const stream = await asOwner(database.url(), (sql) => startStream(context, hub, sql))
    await stream.sending.untilAccepted(5)
    const counts = await stream.finish(database.url())
    await hub.stop()
    return { counts, note: `${kills} kills, then started in ${took.toFixed(1)} s; ${answerSummary(stream.sending)}` }
  },
}
