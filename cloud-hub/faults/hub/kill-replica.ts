import type { FaultRow } from '../row.ts'
import { answerSummary, secondsRange } from '../sender.ts'
import { prepareReplicas } from '../shared.ts'
import { startStream } from '../stream.ts'

export const replicaKill: FaultRow = {
  name: 'replica.kill',
  area: 'hub',
  what: 'kill -9 of one of two hubs on one PostgreSQL and one Mosquitto, alternately, and a restart',
  async run(context) {
    const { database, hubs, agentTransport } = await prepareReplicas(context, 2)
    // both migrate the empty database at once
    await Promise.all(hubs.map((hub) => hub.start()))
    const [first] = hubs as [(typeof hubs)[number]]
    const options = { agentTransport, httpUrls: hubs.map((hub) => hub.url) }
    const { sending, alarms, finish } = await startStream(context, first, database.owner, options)
    const kills = context.fullOrShort(10, 2)
    const gaps: number[] = []
    for (let kill = 1; kill <= kills; kill++) {
      context.say(`kill ${kill} of ${kills}: sending`)
      await sending.untilAccepted(5)
      await context.sleep(context.random.between(0, context.short ? 400 : 1_500))
      const hub = hubs[kill % 2] as (typeof hubs)[number]
      await hub.kill()
      context.say(`kill ${kill} of ${kills}: the other one keeps running`)
      gaps.push(await sending.untilAccepted(1))
      await sending.untilAccepted(context.fullOrShort(10, 4))
      await hub.start()
    }
    const counts = await finish(database.url)
    await Promise.all(hubs.map((hub) => hub.stop()))
    const alerts = `${alarms.crossings()} alerts, ${alarms.repeatedDeliveries()} delivered again`
    return { counts, note: `${kills} kills, the other stores within ${secondsRange(gaps)}; ${alerts}; ${answerSummary(sending)}` }
  },
}
