import type { FaultRow } from '../row.ts'
import { answerSummary, secondsRange } from '../sender.ts'
import { slowWrites } from '../slow-writes.ts'
import { startHubAndStream } from '../stream.ts'

export const hubKill: FaultRow = {
  name: 'hub.kill',
  area: 'hub',
  what: 'kill -9 of the hub, with its embedded PostgreSQL and broker, while agents and programs send',
  async run(context) {
    const { hub, database, owner, sending, alarms, finish } = await startHubAndStream(context)
    await owner((sql) => slowWrites(sql, 'alerts', 0.2))
    const kills = context.fullOrShort(10, 2)
    const back: number[] = []
    for (let kill = 1; kill <= kills; kill++) {
      context.say(`kill ${kill} of ${kills}: sending`)
      await sending.untilAccepted(5)
      await context.sleep(context.random.between(0, context.short ? 400 : 1_500))
      const killed = performance.now()
      if (kill % 3 === 2) {
        // in the middle of an orderly shutdown
        const stopped = hub.stop()
        await context.sleep(context.random.between(0, 300))
        await Promise.all([stopped, hub.kill()])
      } else await hub.kill()
      context.say(`kill ${kill} of ${kills}: the hub restarts`)
      await hub.start()
      await sending.untilAccepted(1)
      back.push((performance.now() - killed) / 1000)
    }
    const counts = await finish(database.url(), !context.short)
    await hub.stop()
    const alerts = `${alarms.crossings()} alerts, ${alarms.repeatedDeliveries()} delivered again`
    return { counts, note: `${kills} kills, stored again after ${secondsRange(back)}; ${alerts}; ${answerSummary(sending)}` }
  },
}
