import { readdirSync } from 'node:fs'
import path from 'node:path'
import { asOwner, embeddedDatabase, hubProcess } from '../hub-process.ts'
import type { FaultRow } from '../row.ts'
import { heard } from '../sender.ts'
import { startStream } from '../stream.ts'

/** A first start takes about this long here: making the database, migrations, ports. */
const START_MS = 2_000

export const startKill: FaultRow = {
  name: 'start.kill',
  area: 'hub',
  what: 'kill -9 while a new hub makes its database, migrates it and opens its ports, again and again on the same folder',
  async run(context) {
    const hub = await hubProcess(context)
    const dataDir = path.join(context.dir, 'hub')
    const kills = context.times(20, 3)
    for (let kill = 1; kill <= kills; kill++) {
      context.say(`kill ${kill} of ${kills}: starting`)
      hub.launch()
      // spread over the whole start, so that few kills meet every part of it
      await context.sleep(((kill - 1 + context.chance.uniform()) / kills) * START_MS)
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
