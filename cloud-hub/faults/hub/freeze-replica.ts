import type { FaultRow } from '../row.ts'
import { heard } from '../sender.ts'
import { prepareReplicas } from '../shared.ts'
import { startStream } from '../stream.ts'

/** Nobody waits longer because a hub hangs: for a lock that it keeps, and for batches that the broker had given it. */
const OTHERS_MS = 8_000

/** Unlike one that was killed it keeps its connections, its locks and its share of the messages, and goes on in the middle of what it did. */
export const replicaFrozen: FaultRow = {
  name: 'replica.frozen',
  area: 'hub',
  what: 'one of two hubs on one PostgreSQL and one Mosquitto is stopped (SIGSTOP) for 20 s in mid-stream, then goes on',
  async run(context) {
    const { database, hubs, agentWay } = await prepareReplicas(context, 2)
    await Promise.all(hubs.map((hub) => hub.start()))
    const [awake, frozen] = hubs as [(typeof hubs)[number], (typeof hubs)[number]]
    // HTTP to the one that stays awake only: a load balancer would see that the other one does not answer
    const options = { agentWay, httpUrls: [awake.url] }
    const { sending, alarms, finish } = await startStream(context, awake, database.owner, options)
    const times = context.times(2, 1)
    const [length, silences]: [number, number[]] = [context.times(20_000, 3_000), []]
    for (let time = 1; time <= times; time++) {
      context.say(`${time} of ${times}: sending`)
      await sending.next(10)
      await context.sleep(context.chance.between(0, 500))
      sending.longestSilenceMs()
      process.kill(frozen.pid, 'SIGSTOP')
      context.defer(() => process.kill(frozen.pid, 'SIGCONT'))
      context.say(`${time} of ${times}: one hub hangs for ${length / 1_000} s`)
      await context.sleep(length)
      const silence = sending.longestSilenceMs()
      silences.push(silence)
      if (silence > OTHERS_MS) context.complain(`nothing was stored for ${(silence / 1_000).toFixed(1)} s`)
      process.kill(frozen.pid, 'SIGCONT')
      await sending.next(5)
    }
    const counts = await finish(database.url)
    await Promise.all(hubs.map((hub) => hub.stop()))
    const worst = (Math.max(...silences) / 1_000).toFixed(1)
    return { counts, note: `something stored every ${worst} s at least; ${alarms.raised()} alerts; ${heard(sending)}` }
  },
}
