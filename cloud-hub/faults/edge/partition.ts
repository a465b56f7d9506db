import type { FaultRow, RowContext } from '../row.ts'
import { type Site, startSite } from './site.ts'

/** Readings that wait when the connection opens again. */
const WAITING = 50_000

/** Drops packets in both directions, on both transports, without any error. */
async function partition(context: RowContext, site: Site, seconds: number, waiting: number): Promise<string> {
  const before = site.served()
  site.http.hold()
  site.mqtt.hold()
  const started = performance.now()
  while (performance.now() - started < seconds * 1000 || site.served() - before < waiting) {
    context.say(`disconnected: ${(site.served() - before).toLocaleString('en')} readings wait`)
    if (performance.now() - started > 2_000 * seconds + 60_000)
      throw new Error(`only ${site.served() - before} readings were polled while the agent was disconnected`)
    await context.sleep(200)
  }
  const held = Math.round((performance.now() - started) / 1000)
  // what was served last is on its way to the disk
  let { buffered } = site.agent.counts()
  for (let look = 0; buffered < waiting && look < 100; look++) {
    await context.sleep(100)
    buffered = site.agent.counts().buffered
  }
  if (buffered < waiting) context.reportFailure(`only ${buffered} readings wait on the agent's disk`)
  context.say('the connection is open again')
  const opened = performance.now()
  // held packets arrive after all, or the firewall has dropped the connections
  site.http.release()
  site.mqtt.release(context.random.uniform() < 0.5)
  const stored = await site.stored()
  await site.untilMoreStored(Math.max(1, waiting), 120_000)
  const rate = Math.round(((await site.stored()) - stored) / ((performance.now() - opened) / 1000))
  return `disconnected for ${held} s, ${buffered.toLocaleString('en')} readings waited, then ${rate.toLocaleString('en')} a second`
}

export const edgePartition: FaultRow = {
  name: 'edge.partition',
  area: 'edge',
  what: 'packets between agent and hub are dropped for a minute, while the agent buffers 50,000 readings',
  async run(context) {
    const site = await startSite(context, { plant: context.short ? {} : { units: 8, tags: 50, pollSeconds: 0.4 } })
    const note = await partition(context, site, context.fullOrShort(60, 4), context.fullOrShort(WAITING, 1_000))
    return { ...(await site.finish()), note }
  },
}

export const edgePartitionLong: FaultRow = {
  name: 'edge.partition-long',
  area: 'edge',
  isMostlyIdle: true,
  what: 'as edge.partition for ten minutes; in the short form twice in a row',
  async run(context) {
    const site = await startSite(context, {
      plant: { units: 2, tags: 20, nodes: 10, pollSeconds: context.fullOrShort(5, 2) / 10 },
    })
    const notes: string[] = []
    for (let cut = 0; cut < context.fullOrShort(1, 2); cut++)
      notes.push(await partition(context, site, context.fullOrShort(600, 2), context.fullOrShort(WAITING, 300)))
    return { ...(await site.finish()), note: notes.join('; ') }
  },
}

export const edgeBrokerAway: FaultRow = {
  name: 'edge.broker-away',
  area: 'edge',
  isMostlyIdle: true,
  what: 'the broker is unreachable by TCP and WebSocket while HTTP works, then reachable again',
  async run(context) {
    const site = await startSite(context)
    const transports: string[] = []
    const via = async (wanted: string, limitMs: number) => {
      const started = performance.now()
      context.say(`waiting until the agent sends over ${wanted}`)
      while (site.agent.via() !== wanted && performance.now() - started < limitMs) await context.sleep(100)
      if (site.agent.via() !== wanted) return context.reportFailure(`the agent sends over ${site.agent.via()}, not ${wanted}`)
      transports.push(`${wanted} after ${((performance.now() - started) / 1000).toFixed(1)} s`)
      await site.untilMoreStored(300)
    }
    const broker = Number(new URL(site.hub.mqttUrl).port)
    await via('mqtt', 10_000)
    site.mqtt.to(null)
    await via('websocket', 20_000)
    site.http.refuse((first) => /upgrade: websocket/i.test(first))
    await via('http', 40_000)
    await context.sleep(context.fullOrShort(30_000, 500))
    site.http.refuse(() => false)
    site.mqtt.to(broker)
    // the agent retries a better transport after half a minute, then less and less often; the short form does not wait for that
    if (!context.short) await via('mqtt', 120_000)
    return { ...(await site.finish()), note: transports.join(', ') }
  },
}
