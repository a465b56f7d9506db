import { randomBytes } from 'node:crypto'
import type { Reading } from '@haltless/protocol'
import { compare } from '../compare.ts'
import { checkDurability, hubProcess } from '../hub-process.ts'
import { openLedger } from '../ledger.ts'
import type { FaultRow } from '../row.ts'
import { answerSummary, countingSource, startSender } from '../sender.ts'
import { startDatabase } from '../shared.ts'
import { makeTenant } from '../tenant.ts'
import { httpTransport, sendOnAll, type Transport } from '../transports.ts'

const TENANTS = 6
const MACHINES = Array.from({ length: 20 }, (_, i) => `m${i}`)

/** Sends the same readings in reverse order. Rejections would have reversed indexes, but there are none. */
const reversed = (transport: Transport): Transport => ({
  send: ({ id, readings }) => transport.send({ id, readings: [...readings].reverse() }),
  close: transport.close,
})

export const flushOrder: FaultRow = {
  name: 'flush.order',
  area: 'hub',
  what: 'two hubs store the same machines of many tenants at once, in opposite order, while series are new and rules change',
  async run(context) {
    const { url, owner, deadlocks } = await startDatabase(context)
    const env = { DATABASE_URL: url, SECRET_KEY: randomBytes(32).toString('base64') }
    const [one, other] = [await hubProcess(context, env), await hubProcess(context, env)]
    await Promise.all([one.start(), other.start()])
    await checkDurability(owner)
    const ledger = openLedger(context)
    const batches = context.fullOrShort(100, 10)
    const rounds = Array.from({ length: TENANTS }, async (_, t) => {
      const tenant = await makeTenant(one.url, owner, { machines: MACHINES.length, keys: 8 })
      // the tenants contend, in thirds, for rule states, for idempotency keys, and for the readings themselves
      const [isWatched, isKeyed] = [t % 3 === 0, t % 3 === 1]
      // every second batch exceeds the threshold, so alerts are raised and cleared all the time
      const rule = await tenant.call<{ id: string }>('POST', 'alert-rules', {
        metric_name: isWatched ? 'metric_0' : 'another',
        warning_threshold: 1_000_000,
        critical_threshold: 2_000_000,
      })
      const transport = sendOnAll(
        httpTransport(one.url, tenant.keys.slice(0, 4), { idempotent: isKeyed }),
        reversed(httpTransport(other.url, tenant.keys.slice(4), { idempotent: isKeyed })),
      )
      context.defer(() => transport.close())
      const next = countingSource(MACHINES, { metrics: 2, size: 48 })
      let batch = 0
      const readings = (): Reading[] => {
        batch++
        return MACHINES.flatMap((machine) => next(machine)).map((reading) => ({
          ...reading,
          // each machine gets a new series every eight batches
          metric: reading.metric === 'metric_1' ? `metric_${1 + (batch >> 3)}` : reading.metric,
          value: reading.metric === 'metric_0' && batch % 2 === 1 ? reading.value + 3_000_000 : reading.value,
        }))
      }
      const sending = startSender(context, ledger, tenant.tenantId, [transport], readings, { concurrency: 3 })
      let changes = 0
      while (sending.acceptedBatches() < batches) {
        await sending.untilAccepted(Math.min(5, batches - sending.acceptedBatches()))
        const body = { warning_threshold: 1_000_000 + ++changes }
        await tenant.call('PUT', `alert-rules/${rule.id}`, body).catch((error: Error) => context.reportFailure(error.message))
        if (t === 0) context.say(`${sending.acceptedBatches()} of ${batches} batches`)
      }
      await sending.finish()
      return { sending, changes }
    })
    const done = await Promise.all(rounds)
    context.say('comparing')
    const counts = await compare(ledger, owner)
    const [row] = await owner<
      { n: number }[]
    >`select deadlocks::int as n from pg_stat_database where datname = current_database()`
    if (row?.n !== 0) context.reportFailure(`PostgreSQL detected ${row?.n} deadlocks: ${deadlocks.join('\n')}`)
    await Promise.all([one.stop(), other.stop()])
    const answers = new Map<string, number>()
    for (const { sending } of done) for (const [answer, n] of sending.answers) answers.set(answer, (answers.get(answer) ?? 0) + n)
    const changes = done.reduce((sum, each) => sum + each.changes, 0)
    return { counts, note: `${row?.n} deadlocks, ${changes} rule changes; ${answerSummary({ answers })}` }
  },
}
