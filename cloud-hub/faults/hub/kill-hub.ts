import type { FaultRow } from '../row.ts'
import { heard, spread } from '../sender.ts'
import { slowWrites } from '../slow-writes.ts'
import { startHubAndStream } from '../stream.ts'

export const hubKill: FaultRow = {
  name: 'hub.kill',
  area: 'hub',
  what: 'kill -9 of the hub, with its embedded PostgreSQL and broker, while agents and programs send',
  async run(context) {
    const { hub, database, owner, sending, alarms, finish } = await startHubAndStream(context)
    await owner((sql) => slowWrites(sql, 'alerts', 0.2))
    const kills = context.times(10, 2)
    const back: number[] = []
    for (let kill = 1; kill <= kills; kill++) {
      context.say(`kill ${kill} of ${kills}: sending`)
      await sending.next(5)
      await context.sleep(context.chance.between(0, context.short ? 400 : 1_500))
      const killed = performance.now()
      if (kill % 3 === 2) {
        // in the middle of an orderly stop
        const stopped = hub.stop()
        await context.sleep(context.chance.between(0, 300))
        await Promise.all([stopped, hub.kill()])
      } else await hub.kill()
      context.say(`kill ${kill} of ${kills}: the hub comes back`)
      await hub.start()
      await sending.next(1)
      back.push((performance.now() - killed) / 1000)
    }
    const counts = await finish(database.url(), !context.short)
    await hub.stop()
    const alerts = `${alarms.raised()} alerts, ${alarms.repeated()} delivered again`
    return { counts, note: `${kills} kills, stored again after ${spread(back)}; ${alerts}; ${heard(sending)}` }
  },
}
