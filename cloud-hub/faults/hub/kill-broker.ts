import type { FaultRow } from '../row.ts'
import { answerSummary, secondsRange } from '../sender.ts'
import { prepareReplicas } from '../shared.ts'
import { startStream } from '../stream.ts'

/** This Mosquitto has no persistence, so a kill loses every message that it accepted and did not pass on. */
export const brokerKill: FaultRow = {
  name: 'broker.kill',
  area: 'hub',
  what: 'kill -9 of an external broker (Mosquitto) between agents and hub, and a restart after a while',
  async run(context) {
    const { database, mosquitto, hubs, agentTransport } = await prepareReplicas(context, 1)
    const hub = hubs[0] as (typeof hubs)[number]
    await hub.start()
    const { sending, alarms, finish } = await startStream(context, hub, database.owner, { agentTransport })
    const kills = context.fullOrShort(10, 2)
    const back: number[] = []
    for (let kill = 1; kill <= kills; kill++) {
      context.say(`kill ${kill} of ${kills}: sending`)
      const before = sending.answered('receipt')
      await sending.until('agents have receipts', () => sending.answered('receipt') >= before + 5)
      await context.sleep(context.random.between(0, context.short ? 400 : 1_500))
      await mosquitto.end('SIGKILL')
      context.say(`kill ${kill} of ${kills}: the broker is down`)
      await context.sleep(context.random.between(0, context.short ? 300 : 3_000))
      await mosquitto.start()
      const [started, receipts] = [performance.now(), sending.answered('receipt')]
      await sending.until('agents have receipts again', () => sending.answered('receipt') > receipts)
      back.push((performance.now() - started) / 1000)
    }
    const counts = await finish(database.url)
    await hub.stop()
    const alerts = `${alarms.crossings()} alerts, ${alarms.repeatedDeliveries()} delivered again`
    return {
      counts,
      note: `${kills} kills, receipts again ${secondsRange(back)} after its restart; ${alerts}; ${answerSummary(sending)}`,
    }
  },
}
