import { existsSync, renameSync } from 'node:fs'
import { until } from '../../test/processes.ts'
import { asOwner, hubProcess } from '../hub-process.ts'
import type { FaultRow, RowContext } from '../row.ts'
import { prepareShared } from '../shared.ts'
import { bufferCounts } from './agent-process.ts'
import { type Site, startSite } from './site.ts'
import { type WireWatch, watchWire } from './wire-watch.ts'

/** Batches with numbers that must pass before the next fault. */
const BETWEEN = 8

/** Nothing that a hub cannot read may become a dead letter. */
export function checkDeadLetters(context: RowContext, site: Site, dataDir = site.agent.dataDir): void {
  const { dead_letters } = bufferCounts(dataDir)
  if (dead_letters > 0) context.reportFailure(`the agent parked ${dead_letters} readings`)
}

const noteOf = ({ seen }: WireWatch): string =>
  `${seen.numbered} batches with numbers, ${seen.named} with names, ${seen.announced} announcements`

export const edgeDictionaryLost: FaultRow = {
  name: 'edge.dictionary-lost',
  area: 'edge',
  what: 'the hub is killed and restarted, every second time without the dictionaries that the agent announced',
  async run(context) {
    const wire = watchWire(context)
    const site = await startSite(context, { mqttProxy: wire.proxy })
    const times = context.fullOrShort(8, 2)
    for (let time = 1; time <= times; time++) {
      context.say(`${time} of ${times}: sending`)
      await wire.untilNumbered(BETWEEN)
      const isLost = time % 2 === 0
      if (isLost) await asOwner(site.database.url(), (sql) => sql`delete from agent_dictionaries`)
      const { announced } = wire.seen
      await site.hub.kill()
      await site.hub.start()
      await wire.untilNumbered(BETWEEN)
      await site.untilMoreStored(100)
      if (isLost && wire.seen.announced === announced) context.reportFailure('a dictionary that was lost was not announced again')
      if (!isLost && wire.seen.announced !== announced)
        context.reportFailure('a dictionary was announced again although the hub had it')
    }
    const found = await site.finish({ before: async () => checkDeadLetters(context, site) })
    return { ...found, note: `${times} restarts; ${noteOf(wire)}` }
  },
}

export const edgeDictionaryReplicas: FaultRow = {
  name: 'edge.dictionary-replicas',
  area: 'edge',
  what: 'two replicas on Mosquitto are killed in turns, and batches with numbers arrive late, twice and out of order',
  async run(context) {
    const { database, mosquitto, env } = await prepareShared(context)
    let [late, twice] = [0, 0]
    const wire = watchWire(context, () => {
      const draw = context.random.uniform()
      if (draw < 0.2) {
        late++
        return [Math.ceil(draw * 4_000)]
      }
      if (draw > 0.6) return 1
      twice++
      return [0, Math.ceil(draw * 4_000)]
    })
    const site = await startSite(context, {
      hubEnv: env,
      databaseUrl: database.url,
      brokerUrl: mosquitto.url,
      mqttProxy: wire.proxy,
      broker: ({ tenantId }, agentId, port) => {
        mosquitto.user(`${tenantId}/${agentId}`, 'agent-password')
        return { url: `mqtt://127.0.0.1:${port}`, username: `${tenantId}/${agentId}`, password: 'agent-password' }
      },
    })
    const other = await hubProcess(context, env)
    await other.start()
    const times = context.fullOrShort(8, 2)
    for (let time = 1; time <= times; time++) {
      context.say(`${time} of ${times}: sending`)
      await wire.untilNumbered(BETWEEN)
      if (time % 4 === 2) await database.owner`delete from agent_dictionaries`
      const hub = time % 2 ? other : site.hub
      await hub.kill()
      await site.untilMoreStored(100)
      await hub.start()
      site.http.to(Number(new URL(site.hub.url).port))
    }
    await wire.untilNumbered(BETWEEN)
    const found = await site.finish({
      before: async () => {
        checkDeadLetters(context, site)
        await other.stop()
      },
    })
    if (late === 0 || twice === 0) context.reportFailure('no batch arrived late or twice')
    return { ...found, note: `${late} batches late, ${twice} twice; ${noteOf(wire)}` }
  },
}

export const edgeDictionaryTwins: FaultRow = {
  name: 'edge.dictionary-twins',
  area: 'edge',
  what: 'two agents with one agent_id, each with dictionaries and a buffer of its own, take turns',
  async run(context) {
    const wire = watchWire(context)
    // While the hub still takes the other agent for alive, it tells this one no time, and nodes are dated by their polls.
    const site = await startSite(context, { mqttProxy: wire.proxy, plant: { nodes: 0 } })
    const { agent } = site
    const away = `${agent.dataDir}-of-the-other`
    const swap = (isTwin: boolean) => {
      const aside = `${agent.dataDir}-aside`
      renameSync(agent.dataDir, aside)
      if (existsSync(away)) renameSync(away, agent.dataDir)
      renameSync(aside, away)
      agent.configure({}, isTwin ? [...site.collectors].reverse() : site.collectors)
    }
    const turns = context.fullOrShort(6, 2)
    for (let turn = 1; turn <= turns; turn++) {
      context.say(`turn ${turn} of ${turns}`)
      await wire.untilNumbered(BETWEEN)
      await site.stopAgent()
      swap(turn % 2 === 1)
      await agent.start()
      await wire.untilNumbered(BETWEEN)
      await site.untilMoreStored(100)
    }
    const [row] = await asOwner(
      site.database.url(),
      (sql) => sql<{ n: number }[]>`select count(*)::int as n from agent_dictionaries`,
    )
    const found = await site.finish({
      before: async () => {
        // what the other still had when it was stopped
        await agent.stop()
        swap(turns % 2 === 0)
        await agent.start()
        await until('the buffer of the other agent is empty', () => agent.counts().buffered === 0, 60_000)
        for (const dir of [agent.dataDir, away]) checkDeadLetters(context, site, dir)
      },
    })
    return { ...found, note: `${turns} turns, ${row?.n} dictionaries of the agent; ${noteOf(wire)}` }
  },
}
