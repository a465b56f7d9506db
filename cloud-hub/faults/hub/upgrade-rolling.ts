import { oldHub } from '../old-hub.ts'
import type { FaultRow } from '../row.ts'
import { answerSummary, secondsRange } from '../sender.ts'
import { prepareReplicas } from '../shared.ts'
import { startStream } from '../stream.ts'

export const upgradeRolling: FaultRow = {
  name: 'upgrade.rolling',
  area: 'hub',
  what: 'two hubs of an earlier commit on one PostgreSQL and one Mosquitto are upgraded one after the other while agents and programs send',
  async run(context) {
    const script = oldHub(context)
    const { database, hubs, agentTransport } = await prepareReplicas(context, 2)
    context.say('two hubs of the old version start')
    for (const hub of hubs) {
      hub.use(script)
      await hub.start()
    }
    const [first] = hubs as [(typeof hubs)[number]]
    const options = { agentTransport, httpUrls: hubs.map((hub) => hub.url) }
    const { sending, alarms, finish } = await startStream(context, first, database.owner, options)
    const gaps: number[] = []
    for (const [i, hub] of hubs.entries()) {
      context.say(`hub ${i + 1} of ${hubs.length} is upgraded`)
      await sending.untilAccepted(context.fullOrShort(50, 10))
      await hub.stop()
      gaps.push(await sending.untilAccepted(1))
      hub.use('cloud-hub/src/main.ts')
      await hub.start()
    }
    await sending.untilAccepted(context.fullOrShort(50, 10))
    const counts = await finish(database.url)
    await Promise.all(hubs.map((hub) => hub.stop()))
    const alerts = `${alarms.crossings()} alerts, ${alarms.repeatedDeliveries()} delivered again`
    return { counts, note: `the other hub stores within ${secondsRange(gaps)}; ${alerts}; ${answerSummary(sending)}` }
  },
}
