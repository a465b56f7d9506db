import type { Reading } from '@haltless/protocol'
import type { FaultRow } from '../row.ts'
import { startSending } from '../sender.ts'
import { startHubAndStream } from '../stream.ts'
import { httpWay, mqttWay, type Way } from '../ways.ts'

const RULE = { metric_name: 'level', warning_threshold: 50, critical_threshold: 100 }
const MINUTE = 60_000
/** Readings may be so far in the future. */
const FUTURE_MS = 5 * MINUTE

/** How far a sender's clock is off, and what becomes of a reading that is critical by it. */
const CLOCKS = [
  { machine: 'm0', offsetMs: -60 * MINUTE, alerts: 'late, pages nobody' },
  { machine: 'm1', offsetMs: 60 * MINUTE, alerts: 'none: its readings are refused' },
  { machine: 'm2', offsetMs: 4 * MINUTE, alerts: 'pages' },
  { machine: 'm3', offsetMs: 0, alerts: 'pages' },
] as const

export const clockOff: FaultRow = {
  name: 'clock.off',
  area: 'hub',
  what: 'agents whose clock is an hour off in either direction, and readings on either side of five minutes in the future',
  async run(context) {
    const { hub, database, tenant, ledger, finish, owner } = await startHubAndStream(context, { agents: 1 })
    await tenant.call('POST', 'alert-rules', RULE)
    const { tenantId, keys } = tenant
    let wrong = 0
    /** What is refused must be what is too far in the future, one by one, and nothing else. */
    const judged = (way: Way): Way => ({
      close: way.close,
      send: async (batch) => {
        const verdict = await way.send(batch)
        const refused = new Map(verdict.rejections?.map(({ index, code }) => [index, code]))
        batch.readings.forEach(({ timestamp }, i) => {
          const expected = timestamp > Date.now() + FUTURE_MS ? 'timestamp_in_future' : undefined
          if (verdict.rejections && refused.get(i) !== expected) wrong++
        })
        return verdict
      },
    })
    const ways = [
      judged(mqttWay(hub.mqttUrl, { tenantId, agentId: 'clocks', password: keys[0] as string })),
      judged(httpWay(hub.url, keys)),
    ]
    context.defer(() => Promise.all(ways.map((way) => way.close())))
    let n = 0
    /** Of one machine, rising in time, the last one critical, then two that are back. */
    const batchOf = ({ machine, offsetMs }: { machine: string; offsetMs: number }): Reading[] => {
      const now = Date.now() + offsetMs
      return [20, 20, 120, 20, 20].map((base, i) => ({
        machine,
        metric: RULE.metric_name,
        unit: 'percent',
        rawTag: null,
        timestamp: now - 5 + i,
        value: base + ++n * 1e-6,
      }))
    }
    /** Every ten seconds from now to ten minutes ahead, the border between two of them. */
    const ladder = (): Reading[] =>
      Array.from({ length: 60 }, (_, i) => ({
        machine: 'm4',
        metric: 'ladder',
        unit: 'percent',
        rawTag: null,
        timestamp: Date.now() + i * 10_000 + 5_000,
        value: ++n,
      }))
    const rounds = context.times(30, 5)
    for (const [w, way] of ways.entries()) {
      const batches = Array.from({ length: rounds }, () => [...CLOCKS, null]).flat()
      const next = () => {
        const clock = batches.shift()
        return clock === undefined ? null : clock ? batchOf(clock) : ladder()
      }
      context.say(`${w === 0 ? 'MQTT' : 'HTTP'}: clocks that are off`)
      const sending = startSending(context, ledger, tenantId, [way], next, { lanes: 1, pauseMs: 20 })
      await sending.next(batches.length)
    }
    const counts = await finish(database.url())
    if (wrong > 0) context.complain(`${wrong} readings were refused and should not have been, or the other way round`)
    const alerts = await owner(
      (sql) => sql<{ machine: string; n: number; late: number; paging: number }[]>`
        select m.machine_identifier as machine, count(*)::int as n, count(*) filter (where a.is_late)::int as late,
          count(*) filter (where exists (select from deliveries d where d.tenant_id = a.tenant_id and d.alert_id = a.id))::int as paging
        from alerts a join machines m on m.tenant_id = a.tenant_id and m.id = a.machine_id
        where a.metric_name = ${RULE.metric_name} group by 1`,
    )
    const found = CLOCKS.map(({ machine, alerts: expected }) => {
      const { n: raised, late, paging } = alerts.find((a) => a.machine === machine) ?? { n: 0, late: 0, paging: 0 }
      const wanted =
        expected === 'pages' ? [2 * rounds, 0, 2 * rounds] : expected.startsWith('late') ? [2 * rounds, 2 * rounds, 0] : [0, 0, 0]
      if ([raised, late, paging].join() !== wanted.join())
        context.complain(`${machine} raised ${raised} alerts, ${late} late, ${paging} that page; expected ${wanted.join(', ')}`)
      return raised
    })
    await hub.stop()
    return { counts, note: `${counts.refused} readings refused one by one, ${found.join(', ')} alerts` }
  },
}
