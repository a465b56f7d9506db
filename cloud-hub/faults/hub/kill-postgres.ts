import path from 'node:path'
import { until } from '../../test/processes.ts'
import { compare } from '../compare.ts'
import { asOwner, checkDurability, clusterProcesses, embeddedDatabase, hubProcess, isOf } from '../hub-process.ts'
import { openLedger } from '../ledger.ts'
import type { FaultRow } from '../row.ts'
import { countingSource, heard, spread, startSending } from '../sender.ts'
import { makeTenant } from '../tenant.ts'
import { httpWay, mqttWay } from '../ways.ts'

const MACHINES = ['m0', 'm1', 'm2', 'm3', 'm4', 'm5', 'm6', 'm7']

/** The PostgreSQL that the hub supervises, killed under it: the whole server, or one of its processes, which makes it restart itself. */
export const postgresKill: FaultRow = {
  name: 'postgres.kill',
  area: 'hub',
  what: 'kill -9 of PostgreSQL, or of one of its processes, while the hub goes on and agents and programs send',
  async run(context) {
    const hub = await hubProcess(context)
    const dataDir = path.join(context.dir, 'hub')
    const database = embeddedDatabase(dataDir)
    await hub.start()
    const hubPid = hub.pid
    const url = database.url()
    const tenant = await asOwner(url, async (sql) => {
      await checkDurability(sql)
      return makeTenant(hub.url, sql, { machines: MACHINES.length, keys: 20 })
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
      const postmaster = database.pid()
      const wholeServer = kill % 2 === 1 || context.chance.uniform() < 0.5
      const victims = wholeServer ? [postmaster] : clusterProcesses(dataDir).filter((pid) => pid !== postmaster)
      process.kill(context.chance.pick(victims), 'SIGKILL')
      context.say(`kill ${kill} of ${kills}: PostgreSQL comes back`)
      const killed = performance.now()
      if (wholeServer)
        await until('the supervisor starts PostgreSQL again', () => database.isThere() && database.pid() !== postmaster, 60_000)
      await until('PostgreSQL answers', () => asOwner(url, (sql) => sql`select 1`).catch(() => null), 60_000)
      await sending.next(1)
      back.push((performance.now() - killed) / 1000)
      const strays = clusterProcesses(dataDir).filter((pid) => !isOf(pid, database.pid()))
      if (strays.length > 0) context.complain(`processes of the killed PostgreSQL are still there: ${strays.join(', ')}`)
    }
    await sending.finish()
    if (hub.pid !== hubPid || hub.hasEnded()) context.complain('the hub did not survive its database')
    if (![...sending.answers.keys()].includes('503 database_away')) context.complain('nobody was ever answered 503')
    if (database.url() !== url) context.complain('PostgreSQL came back at another address')
    context.say('comparing')
    const counts = await asOwner(url, (sql) => compare(ledger, sql))
    await hub.stop()
    return { counts, note: `${kills} kills, stored again after ${spread(back)}; ${heard(sending)}` }
  },
}
