import type { FaultRow } from '../row.ts'
import { heard, spread } from '../sender.ts'
import { prepareReplicas } from '../shared.ts'
import { startStream } from '../stream.ts'

export const replicaKill: FaultRow = {
  name: 'replica.kill',
  area: 'hub',
  what: 'two hubs on one PostgreSQL and one Mosquitto; one of them, in turns, is killed with -9 and comes back',
  async run(context) {
    const { database, hubs, agentWay } = await prepareReplicas(context, 2)
    // both migrate the empty database at once
    await Promise.all(hubs.map((hub) => hub.start()))
    const [first] = hubs as [(typeof hubs)[number]]
    const options = { agentWay, httpUrls: hubs.map((hub) => hub.url) }
    const { sending, alarms, finish } = await startStream(context, first, database.owner, options)
    const kills = context.times(10, 2)
    const gaps: number[] = []
    for (let kill = 1; kill <= kills; kill++) {
      context.say(`kill ${kill} of ${kills}: sending`)
      await sending.next(5)
      await context.sleep(context.chance.between(0, context.short ? 400 : 1_500))
      const hub = hubs[kill % 2] as (typeof hubs)[number]
      await hub.kill()
      context.say(`kill ${kill} of ${kills}: the other one goes on`)
      gaps.push(await sending.next(1))
      await sending.next(context.times(10, 4))
      await hub.start()
    }
    const counts = await finish(database.url)
    await Promise.all(hubs.map((hub) => hub.stop()))
    const alerts = `${alarms.raised()} alerts, ${alarms.repeated()} delivered again`
    return { counts, note: `${kills} kills, the other stores within ${spread(gaps)}; ${alerts}; ${heard(sending)}` }
  },
}
