import { onBothBrokers } from '../brokers.ts'
import { compare } from '../compare.ts'
import { asOwner, checkDurability } from '../hub-process.ts'
import { openLedger } from '../ledger.ts'
import type { FaultRow } from '../row.ts'
import { answerSummary, countingSource, startSender } from '../sender.ts'
import { makeTenant } from '../tenant.ts'
import type { Transport } from '../transports.ts'

/** Much longer than the row allows: no agent repeats a batch, so a receipt that never comes shows. */
const RECEIPT_MS = 60_000

/** More messages than a hub handles at once must not stop it, at whichever broker. */
export const brokerBurst: FaultRow = {
  name: 'broker.burst',
  area: 'hub',
  what: '500 agents send one batch each at the same moment, to the embedded broker and to Mosquitto',
  run: (context) =>
    onBothBrokers(context, async ({ broker, hub, databaseUrl, agents }) => {
      const count = context.fullOrShort(500, 100)
      const allowedSeconds = context.fullOrShort(5, 30)
      await hub.start()
      const tenant = await asOwner(databaseUrl(), async (sql) => {
        await checkDurability(sql)
        return makeTenant(hub.url, sql, { machines: count })
      })
      const ledger = openLedger(context)
      const transports = agents(tenant, count, RECEIPT_MS)
      const machines = transports.map((_, i) => `m${i}`)
      const next = countingSource(machines, { metrics: 5, size: 50 })
      const sendOnce = async (senders: readonly Transport[]) => {
        const batches = machines.map((machine) => [next(machine)])
        const nextOf = (agent: number) => batches[agent]?.pop() ?? null
        const sending = startSender(context, ledger, tenant.tenantId, senders, nextOf, { concurrency: 1 })
        await sending.until('every agent has a receipt', () => sending.acceptedBatches() === count, 2 * RECEIPT_MS)
        await sending.finish()
        return sending
      }
      context.say(`${broker}: ${count} agents connect`)
      await sendOnce(transports)
      context.say(`${broker}: all send at once`)
      const [started, seconds]: [number, number[]] = [performance.now(), []]
      const timed = transports.map((transport) => ({
        ...transport,
        send: async (batch: Parameters<typeof transport.send>[0]) => {
          const result = await transport.send(batch)
          seconds.push((performance.now() - started) / 1_000)
          return result
        },
      }))
      const burst = await sendOnce(timed)
      const slowest = Math.max(...seconds)
      if (burst.answered('receipt') !== seconds.length) context.reportFailure(`${broker}: ${answerSummary(burst)}`)
      if (slowest > allowedSeconds)
        context.reportFailure(`${broker}: the last receipt came after ${slowest.toFixed(1)} s, not within ${allowedSeconds} s`)
      const counts = await asOwner(databaseUrl(), (sql) => compare(ledger, sql))
      return { counts, note: `${count} receipts within ${slowest.toFixed(2)} s of ${allowedSeconds} s allowed` }
    }),
}
