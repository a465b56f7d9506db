import { startBalanced, startLoad } from '../balanced.ts'
import { oldHub } from '../old-hub.ts'
import type { FaultRow, RowContext } from '../row.ts'
import { answerSummary } from '../sender.ts'

/** The longest time without a stored batch, in s: when a hub ends, and when it falls silent. */
const [MAX_GAP, MAX_HIDDEN_GAP] = [5, 15]
/** The short form runs beside other tests, so three hubs that start wait for the processor: there, all agents together may wait that much longer. */
const BUSY = 2

export const hubsBalanced: FaultRow = {
  name: 'hubs.balanced',
  area: 'hub',
  what: 'three hubs with embedded brokers behind HAProxy, under 200 agents, programs and streams, are restarted, killed, frozen and cut off',
  async run(context) {
    const balanced = await startBalanced(context)
    const { hubs, cut, mend, restart, untilUp } = balanced
    const load = await startLoad(context, balanced)
    const [first, second] = hubs as [(typeof hubs)[number], (typeof hubs)[number]]
    const notes: string[] = []
    const measure = (what: string, limit: number) => notes.push(checkGap(context, what, limit, load.gaps()))
    const hiddenMs = context.fullOrShort(60_000, 25_000)

    for (const i of hubs.keys()) {
      context.say(`hub ${i + 1} is drained and restarted`)
      await restart(i)
      await load.sending.untilAccepted(100)
    }
    measure('restarts', MAX_GAP)

    context.say('a hub is killed')
    await first.kill()
    await load.sending.untilAccepted(400)
    measure('kill', MAX_GAP)
    await first.start()
    await untilUp(0)

    context.say(`a hub is frozen for ${hiddenMs / 1_000} s`)
    process.kill(second.pid, 'SIGSTOP')
    context.defer(() => process.kill(second.pid, 'SIGCONT'))
    await context.sleep(hiddenMs)
    process.kill(second.pid, 'SIGCONT')
    await untilUp(1)
    await load.sending.untilAccepted(400)
    measure('freeze', MAX_HIDDEN_GAP)

    context.say(`the network of a hub is cut for ${hiddenMs / 1_000} s`)
    cut()
    await context.sleep(hiddenMs)
    mend()
    await untilUp(2)
    await load.sending.untilAccepted(400)
    measure('cut', MAX_HIDDEN_GAP)

    const counts = await load.finish()
    await Promise.all(hubs.map((hub) => hub.stop()))
    const alerts = `${load.alarms.crossings()} alerts, ${load.alarms.repeatedDeliveries()} delivered again`
    return {
      counts,
      note: `${notes.join('; ')}; ${alerts}; ${load.streamConnections()} connections of streams; ${answerSummary(load.sending)}`,
    }
  },
}

export const hubsUpgraded: FaultRow = {
  name: 'hubs.upgraded',
  area: 'hub',
  what: 'three hubs of an earlier commit behind HAProxy are drained and upgraded one after the other, under 200 agents, programs and streams',
  async run(context) {
    const balanced = await startBalanced(context, { script: oldHub(context) })
    const load = await startLoad(context, balanced)
    for (const i of balanced.hubs.keys()) {
      context.say(`hub ${i + 1} is upgraded`)
      await balanced.restart(i, 'cloud-hub/src/main.ts')
      await load.sending.untilAccepted(100)
    }
    const gap = checkGap(context, 'upgrade', MAX_GAP, load.gaps())
    const counts = await load.finish()
    await Promise.all(balanced.hubs.map((hub) => hub.stop()))
    const alerts = `${load.alarms.crossings()} alerts, ${load.alarms.repeatedDeliveries()} delivered again`
    return { counts, note: `${gap}; ${alerts}; ${answerSummary(load.sending)}` }
  },
}

function checkGap(context: RowContext, what: string, limit: number, { all, agent }: { all: number; agent: number }): string {
  if (all > context.fullOrShort(limit, BUSY * limit)) context.reportFailure(`${what}: nothing was stored for ${all.toFixed(1)} s`)
  if (!context.short && agent > limit) context.reportFailure(`${what}: an agent stored nothing for ${agent.toFixed(1)} s`)
  return `${what}: nothing stored for at most ${all.toFixed(1)} s, by one agent ${agent.toFixed(1)} s`
}
