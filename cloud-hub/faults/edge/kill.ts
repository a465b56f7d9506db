import { until } from '../../test/processes.ts'
import { asOwner, embeddedDatabase } from '../hub-process.ts'
import type { FaultRow, RowContext } from '../row.ts'
import { secondsRange } from '../sender.ts'
import { prepareShared } from '../shared.ts'
import { slowWrites } from '../slow-writes.ts'
import { type Site, startSite } from './site.ts'

/** Waits until readings flow, and then for a random moment. */
async function untilSending(context: RowContext, site: Site): Promise<void> {
  await site.untilMoreStored(500)
  await context.sleep(context.random.between(0, context.short ? 400 : 1_500))
}

/** @param strike kills a program, and restarts it unless a supervisor does */
async function killRepeatedly(context: RowContext, site: Site, what: string, strike: () => Promise<void>) {
  const kills = context.fullOrShort(10, 2)
  const back: number[] = []
  for (let kill = 1; kill <= kills; kill++) {
    context.say(`kill ${kill} of ${kills}: sending`)
    await untilSending(context, site)
    context.say(`kill ${kill} of ${kills}: ${what} restarts`)
    const killed = performance.now()
    await strike()
    await site.untilMoreStored()
    back.push((performance.now() - killed) / 1000)
  }
  const found = await site.finish()
  return {
    ...found,
    note: `${kills} kills, stored again after ${secondsRange(back)}; ${found.counts.inFlight} in flight at them`,
  }
}

export const edgeAgentKill: FaultRow = {
  name: 'edge.agent-kill',
  area: 'edge',
  what: 'kill -9 of the agent while it polls and sends',
  async run(context) {
    const site = await startSite(context, { plant: { nodes: 30 } })
    return killRepeatedly(context, site, 'the agent', () => site.killAgent())
  },
}

export const edgeHubKill: FaultRow = {
  name: 'edge.hub-kill',
  area: 'edge',
  what: 'kill -9 of the hub, with its PostgreSQL and broker, while an agent sends',
  async run(context) {
    const site = await startSite(context)
    // longer than the time between polls, so every kill meets batches that arrived and are not stored yet
    await asOwner(site.database.url(), (sql) => slowWrites(sql, 'readings', 0.25))
    return killRepeatedly(context, site, 'the hub', async () => {
      await site.hub.kill()
      await site.hub.start()
    })
  },
}

export const edgePostgresKill: FaultRow = {
  name: 'edge.postgres-kill',
  area: 'edge',
  what: 'kill -9 of PostgreSQL while the hub runs and an agent sends',
  async run(context) {
    const site = await startSite(context)
    const database = embeddedDatabase(`${context.dir}/hub`)
    return killRepeatedly(context, site, 'PostgreSQL', async () => {
      const [postmaster, url] = [database.pid(), database.url()]
      process.kill(postmaster, 'SIGKILL')
      await until('the supervisor starts PostgreSQL again', () => database.isThere() && database.pid() !== postmaster, 60_000)
      await until('PostgreSQL answers', () => asOwner(url, (sql) => sql`select 1`).catch(() => null), 60_000)
    })
  },
}

export const edgeBrokerKill: FaultRow = {
  name: 'edge.broker-kill',
  area: 'edge',
  what: 'kill -9 of an external broker (Mosquitto) while an agent sends over it',
  async run(context) {
    const { database, mosquitto, env } = await prepareShared(context)
    const site = await startSite(context, {
      hubEnv: env,
      databaseUrl: database.url,
      brokerUrl: mosquitto.url,
      broker: ({ tenantId }, agentId, port) => {
        mosquitto.user(`${tenantId}/${agentId}`, 'agent-password')
        return { url: `mqtt://127.0.0.1:${port}`, username: `${tenantId}/${agentId}`, password: 'agent-password' }
      },
    })
    return killRepeatedly(context, site, 'the broker', async () => {
      await mosquitto.end('SIGKILL')
      await context.sleep(context.random.between(0, context.short ? 300 : 3_000))
      await mosquitto.start()
    })
  },
}
