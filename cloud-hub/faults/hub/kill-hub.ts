import path from 'node:path'
import { compare } from '../compare.ts'
import { asOwner, checkDurability, embeddedDatabase, hubProcess } from '../hub-process.ts'
import { openLedger } from '../ledger.ts'
import type { FaultRow } from '../row.ts'
import { countingSource, heard, spread, startSending } from '../sender.ts'
import { makeTenant } from '../tenant.ts'
import { httpWay, mqttWay } from '../ways.ts'

const MACHINES = ['m0', 'm1', 'm2', 'm3', 'm4', 'm5', 'm6', 'm7']

/** The hub with its embedded PostgreSQL and broker, killed in mid-stream. */
export const hubKill: FaultRow = {
  name: 'hub.kill',
  area: 'hub',
  what: 'kill -9 of the hub, with its embedded PostgreSQL and broker, while agents and programs send',
  async run(context) {
    const hub = await hubProcess(context)
    const database = embeddedDatabase(path.join(context.dir, 'hub'))
    await hub.start()
    const tenant = await asOwner(database.url(), async (sql) => {
      await checkDurability(sql)
      return makeTenant(hub.url, sql, { machines: MACHINES.length, keys: 12 })
    })
    const ledger = openLedger(context.dir)
    const agents = ['line-1', 'line-2', 'line-3'].map((agentId) =>
      mqttWay(hub.mqttUrl, { tenantId: tenant.tenantId, agentId, password: tenant.keys[0] as string }),
    )
    const ways = [...agents, httpWay(hub.url, tenant.keys)]
    context.defer(() => Promise.all(ways.map((way) => way.close())))
    const next = countingSource(MACHINES)
    const sending = startSending(context, ledger, tenant.tenantId, ways, () => next(), { pauseMs: 40 })
    const kills = context.times(10, 2)
    const back: number[] = []
    for (let kill = 1; kill <= kills; kill++) {
      context.say(`kill ${kill} of ${kills}: sending`)
      await sending.next(5)
      await context.sleep(context.chance.between(0, context.short ? 400 : 1_500))
      await hub.kill()
      context.say(`kill ${kill} of ${kills}: the hub comes back`)
      const killed = performance.now()
      await hub.start()
      await sending.next(1)
      back.push((performance.now() - killed) / 1000)
    }
    await sending.finish()
    context.say('comparing')
    const counts = await asOwner(database.url(), (sql) => compare(ledger, sql))
    await hub.stop()
    return { counts, note: `${kills} kills, stored again after ${spread(back)}; ${heard(sending)}` }
  },
}
