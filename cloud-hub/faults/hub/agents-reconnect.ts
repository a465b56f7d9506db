import { type HubAtBroker, onBothBrokers } from '../brokers.ts'
import { compare } from '../compare.ts'
import { asOwner, checkDurability } from '../hub-process.ts'
import { openLedger } from '../ledger.ts'
import type { FaultRow, RowContext } from '../row.ts'
import { answerSummary, countingSource, startSender } from '../sender.ts'
import { makeTenant } from '../tenant.ts'

const AGENTS = 200

/** Each agent has a machine of its own and a batch in flight when the row kills the hub. */
export const agentsReconnect: FaultRow = {
  name: 'agents.reconnect',
  area: 'hub',
  what: 'the hub is killed under 200 agents, which all reconnect and resend at the same moment, at both brokers',
  run: (context) => onBothBrokers(context, (at) => killUnderAgents(context, at)),
}

async function killUnderAgents(context: RowContext, { broker, hub, databaseUrl, agents }: HubAtBroker) {
  await hub.start()
  const tenant = await asOwner(databaseUrl(), async (sql) => {
    await checkDurability(sql)
    return makeTenant(hub.url, sql, { machines: AGENTS })
  })
  const ledger = openLedger(context)
  const machines = Array.from({ length: AGENTS }, (_, i) => `m${i}`)
  const transports = agents(tenant, AGENTS)
  const next = countingSource(machines, { metrics: 5, size: 50 })
  /** agents with a receipt since the last kill */
  let told = new Set<number>()
  const watched = transports.map((transport, i) => ({
    ...transport,
    send: async (batch: Parameters<typeof transport.send>[0]) => {
      const result = await transport.send(batch)
      if (result.rejections) told.add(i)
      return result
    },
  }))
  const sending = startSender(context, ledger, tenant.tenantId, watched, (agent) => next(machines[agent]), {
    concurrency: 1,
    pauseMs: 1_000,
  })
  const all = (what: string) => sending.until(what, () => told.size === AGENTS, 120_000)
  context.say(`${broker}: connecting`)
  await all('all agents have a receipt')
  const kills = context.fullOrShort(4, 1)
  const [back, memory]: [number[], number[]] = [[], []]
  for (let kill = 1; kill <= kills; kill++) {
    await context.sleep(context.random.between(0, 1_000))
    context.say(`${broker}: kill ${kill} of ${kills}`)
    await hub.kill()
    told = new Set()
    await hub.start()
    const started = performance.now()
    await all('all agents have reconnected and have a receipt')
    back.push((performance.now() - started) / 1000)
    memory.push(hub.memory().most)
  }
  await sending.finish()
  context.say('comparing')
  const counts = await asOwner(databaseUrl(), (sql) => compare(ledger, sql))
  const recovery = `all reconnected within ${back.map((s) => s.toFixed(1)).join(', ')} s after the start, at most ${Math.max(...memory)} MB`
  return { counts, note: `${recovery}; ${answerSummary(sending)}` }
}
