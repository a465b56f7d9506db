import { randomBytes } from 'node:crypto'
import type { Reading } from '@haltless/protocol'
import { compare } from '../compare.ts'
import { checkDurability, hubProcess } from '../hub-process.ts'
import { openLedger } from '../ledger.ts'
import type { FaultRow } from '../row.ts'
import { countingSource, heard, startSending } from '../sender.ts'
import { startDatabase } from '../shared.ts'
import { makeTenant } from '../tenant.ts'
import { httpWay, together, type Way } from '../ways.ts'

const TENANTS = 6
const MACHINES = Array.from({ length: 20 }, (_, i) => `m${i}`)

/** The same readings from the other end: its rejections would count the other way round, and there are none. */
const reversed = (way: Way): Way => ({
  send: ({ id, readings }) => way.send({ id, readings: [...readings].reverse() }),
  close: way.close,
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
    const batches = context.times(100, 10)
    const rounds = Array.from({ length: TENANTS }, async (_, t) => {
      const tenant = await makeTenant(one.url, owner, { machines: MACHINES.length, keys: 8 })
      // of three tenants one meets at the conditions of its rule, one at its idempotency keys, and one at the readings themselves
      const [isWatched, isKeyed] = [t % 3 === 0, t % 3 === 1]
      // every second reading is beyond, so alerts are raised and cleared all the time
      const rule = await tenant.call<{ id: string }>('POST', 'alert-rules', {
        metric_name: isWatched ? 'metric_0' : 'another',
        warning_threshold: 1_000_000,
        critical_threshold: 2_000_000,
      })
      const way = together(
        httpWay(one.url, tenant.keys.slice(0, 4), { idempotent: isKeyed }),
        reversed(httpWay(other.url, tenant.keys.slice(4), { idempotent: isKeyed })),
      )
      context.defer(() => way.close())
      const next = countingSource(MACHINES, { metrics: 2, size: 48 })
      let batch = 0
      const readings = (): Reading[] => {
        batch++
        return MACHINES.flatMap((machine) => next(machine)).map((reading) => ({
          ...reading,
          // a new series for each machine now and then
          metric: reading.metric === 'metric_1' ? `metric_${1 + (batch >> 3)}` : reading.metric,
          value: reading.metric === 'metric_0' && batch % 2 === 1 ? reading.value + 3_000_000 : reading.value,
        }))
      }
      const sending = startSending(context, ledger, tenant.tenantId, [way], readings, { lanes: 3 })
      let changes = 0
      while (sending.yes() < batches) {
        await sending.next(Math.min(5, batches - sending.yes()))
        const body = { warning_threshold: 1_000_000 + ++changes }
        await tenant.call('PUT', `alert-rules/${rule.id}`, body).catch((error: Error) => context.complain(error.message))
        if (t === 0) context.say(`${sending.yes()} of ${batches} batches`)
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
    if (row?.n !== 0) context.complain(`PostgreSQL had to end ${row?.n} deadlocks: ${deadlocks.join('\n')}`)
    await Promise.all([one.stop(), other.stop()])
    const answers = new Map<string, number>()
    for (const { sending } of done) for (const [answer, n] of sending.answers) answers.set(answer, (answers.get(answer) ?? 0) + n)
    const changes = done.reduce((sum, each) => sum + each.changes, 0)
    return { counts, note: `${row?.n} deadlocks, ${changes} changes of rules; ${heard({ answers })}` }
  },
}
