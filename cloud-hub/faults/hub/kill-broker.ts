import type { FaultRow } from '../row.ts'
import { heard, spread } from '../sender.ts'
import { prepareReplicas } from '../shared.ts'
import { startStream } from '../stream.ts'

/** Mosquitto keeps nothing here over a kill, so every message that it had taken and not passed on is lost with it. */
export const brokerKill: FaultRow = {
  name: 'broker.kill',
  area: 'hub',
  what: 'kill -9 of an external broker (Mosquitto) between agents and hub, and back after a while',
  async run(context) {
    const { database, mosquitto, hubs, agentWay } = await prepareReplicas(context, 1)
    const hub = hubs[0] as (typeof hubs)[number]
    await hub.start()
    const { sending, alarms, finish } = await startStream(context, hub, database.owner, { agentWay })
    const kills = context.times(10, 2)
    const back: number[] = []
    for (let kill = 1; kill <= kills; kill++) {
      context.say(`kill ${kill} of ${kills}: sending`)
      const before = sending.heard('receipt')
      await sending.until('agents have receipts', () => sending.heard('receipt') >= before + 5)
      await context.sleep(context.chance.between(0, context.short ? 400 : 1_500))
      await mosquitto.end('SIGKILL')
      context.say(`kill ${kill} of ${kills}: the broker is away`)
      await context.sleep(context.chance.between(0, context.short ? 300 : 3_000))
      await mosquitto.start()
      const [started, receipts] = [performance.now(), sending.heard('receipt')]
      await sending.until('agents have receipts again', () => sending.heard('receipt') > receipts)
      back.push((performance.now() - started) / 1000)
    }
    const counts = await finish(database.url)
    await hub.stop()
    const alerts = `${alarms.raised()} alerts, ${alarms.repeated()} delivered again`
    return { counts, note: `${kills} kills, receipts again ${spread(back)} after its return; ${alerts}; ${heard(sending)}` }
  },
}
