import type { FaultRow } from '../row.ts'
import { answerSummary } from '../sender.ts'
import { prepareReplicas } from '../shared.ts'
import { startStream } from '../stream.ts'

/** The longest wait for others while a hub hangs with its locks and its share of the broker's messages. */
const MAX_OTHERS_WAIT_MS = 8_000

/** Unlike a killed hub, a frozen one keeps its connections, locks and messages, and resumes in the middle of its work. */
export const replicaFrozen: FaultRow = {
  name: 'replica.frozen',
  area: 'hub',
  what: 'one of two hubs on one PostgreSQL and one Mosquitto is frozen (SIGSTOP) for 20 s, then resumes',
  async run(context) {
    const { database, hubs, agentTransport } = await prepareReplicas(context, 2)
    await Promise.all(hubs.map((hub) => hub.start()))
    const [awake, frozen] = hubs as [(typeof hubs)[number], (typeof hubs)[number]]
    // HTTP goes only to the running hub, because a load balancer would notice that the other one does not answer
    const options = { agentTransport, httpUrls: [awake.url] }
    const { sending, alarms, finish } = await startStream(context, awake, database.owner, options)
    const times = context.fullOrShort(2, 1)
    const [length, silences]: [number, number[]] = [context.fullOrShort(20_000, 3_000), []]
    for (let time = 1; time <= times; time++) {
      context.say(`${time} of ${times}: sending`)
      await sending.untilAccepted(10)
      await context.sleep(context.random.between(0, 500))
      sending.longestGapMs()
      process.kill(frozen.pid, 'SIGSTOP')
      context.defer(() => process.kill(frozen.pid, 'SIGCONT'))
      context.say(`${time} of ${times}: one hub is frozen for ${length / 1_000} s`)
      await context.sleep(length)
      const silence = sending.longestGapMs()
      silences.push(silence)
      if (silence > MAX_OTHERS_WAIT_MS) context.reportFailure(`nothing was stored for ${(silence / 1_000).toFixed(1)} s`)
      process.kill(frozen.pid, 'SIGCONT')
      await sending.untilAccepted(5)
    }
    const counts = await finish(database.url)
    await Promise.all(hubs.map((hub) => hub.stop()))
    const worst = (Math.max(...silences) / 1_000).toFixed(1)
    return { counts, note: `at most ${worst} s without a stored batch; ${alarms.crossings()} alerts; ${answerSummary(sending)}` }
  },
}
