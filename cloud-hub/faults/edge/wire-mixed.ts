import { migrateTables } from '../../src/db/migrate.ts'
import { until } from '../../test/processes.ts'
import type { FaultRow } from '../row.ts'
import { prepareShared } from '../shared.ts'
import { checkDeadLetters } from './dictionary.ts'
import { startNamesOnlyHub } from './names-only-hub.ts'
import { startSite } from './site.ts'
import { watchWire } from './wire-watch.ts'

/** A hub that reads only names beside a present one. Its silence of an hour is that of a suspended process whose entry is deleted. */
export const wireMixed: FaultRow = {
  name: 'wire.mixed',
  area: 'edge',
  what: 'an agent with a hub that reads only names and a present one on Mosquitto: together, the first one silent, the present one gone again',
  async run(context) {
    const { database, mosquitto, env } = await prepareShared(context)
    await migrateTables(database.url)
    context.say('a hub that reads only names starts')
    const old = await startNamesOnlyHub(context, { owner: database.owner, env })
    const wire = watchWire(context)
    const site = await startSite(context, {
      hubEnv: env,
      databaseUrl: database.url,
      brokerUrl: mosquitto.url,
      mqttProxy: wire.proxy,
      // batches with names that reach the hub that stores nothing are sent again after this
      agent: { uplink: { receipt_timeout_seconds: 10 } },
      broker: ({ tenantId }, agentId, port) => {
        mosquitto.user(`${tenantId}/${agentId}`, 'agent-password')
        return { url: `mqtt://127.0.0.1:${port}`, username: `${tenantId}/${agentId}`, password: 'agent-password' }
      },
    })
    const values = context.fullOrShort(5_000, 500)
    const fallbacks = () => site.agent.logged('the hub cannot read a batch with numbers').length
    context.say('both hubs run')
    await site.serve(values)
    await site.untilMoreStored(100)
    if (wire.seen.numbered + wire.seen.announced > 0)
      context.reportFailure('numbers were sent while a hub that reads only names was running')

    const rounds = context.fullOrShort(3, 1)
    for (let round = 1; round <= rounds; round++) {
      context.say(`round ${round} of ${rounds}: that hub is silent`)
      old.suspend()
      await database.owner`delete from hub_replicas where wire_versions = '{1}'`
      await wire.untilNumbered(10)
      await site.untilMoreStored(100)
      context.say(`round ${round} of ${rounds}: that hub alone`)
      const before = fallbacks()
      // first, so that no heartbeat tells the agent of that hub before a batch does
      await site.hub.stop()
      old.resume()
      await until('a batch with numbers was refused', () => fallbacks() > before, 120_000)
      const { numbered } = wire.seen
      await site.serve(values)
      // those that were under way when the first one was refused
      if (wire.seen.numbered > numbered + 8)
        context.reportFailure(`${wire.seen.numbered - numbered} batches with numbers after a refusal`)
      await site.hub.start()
      site.http.to(Number(new URL(site.hub.url).port))
      await site.untilMoreStored(100)
    }
    const found = await site.finish({ before: async () => checkDeadLetters(context, site) })
    const { named, numbered, announced } = wire.seen
    return {
      ...found,
      note: `${named} batches with names, ${numbered} with numbers, ${announced} announcements; ${fallbacks()} refusals`,
    }
  },
}
