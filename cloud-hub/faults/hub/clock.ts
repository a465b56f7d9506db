import type { Reading } from '@haltless/protocol'
import type { FaultRow } from '../row.ts'
import { startSender } from '../sender.ts'
import { startHubAndStream } from '../stream.ts'
import { httpTransport, mqttTransport, type Transport } from '../transports.ts'

const RULE = { metric_name: 'level', warning_threshold: 50, critical_threshold: 100 }
const MINUTE = 60_000
/** The hub accepts readings that are this far in the future. */
const FUTURE_MS = 5 * MINUTE

/** How far each sender's clock is off, and the alerts that its critical readings must raise. */
const CLOCKS = [
  { machine: 'm0', offsetMs: -60 * MINUTE, alerts: 'late, no delivery' },
  { machine: 'm1', offsetMs: 60 * MINUTE, alerts: 'none: its readings are refused' },
  { machine: 'm2', offsetMs: 4 * MINUTE, alerts: 'pages' },
  { machine: 'm3', offsetMs: 0, alerts: 'pages' },
] as const

export const clockOff: FaultRow = {
  name: 'clock.off',
  area: 'hub',
  what: 'agents with clocks an hour slow and an hour fast, and readings just below and above five minutes in the future',
  async run(context) {
    const { hub, database, tenant, ledger, finish, owner } = await startHubAndStream(context, { agents: 1 })
    await tenant.call('POST', 'alert-rules', RULE)
    const { tenantId, keys } = tenant
    let wrong = 0
    /** Checks that the hub rejects exactly the readings that are too far in the future. */
    const checkRejections = (transport: Transport): Transport => ({
      close: transport.close,
      send: async (batch) => {
        const result = await transport.send(batch)
        const refused = new Map(result.rejections?.map(({ index, code }) => [index, code]))
        batch.readings.forEach(({ timestamp }, i) => {
          const expected = timestamp > Date.now() + FUTURE_MS ? 'timestamp_in_future' : undefined
          if (result.rejections && refused.get(i) !== expected) wrong++
        })
        return result
      },
    })
    const transports = [
      checkRejections(mqttTransport(hub.mqttUrl, { tenantId, agentId: 'clocks', password: keys[0] as string })),
      checkRejections(httpTransport(hub.url, keys)),
    ]
    context.defer(() => Promise.all(transports.map((transport) => transport.close())))
    let n = 0
    /** Five readings of one machine: the third is critical, the last two are normal. */
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
    /** Readings every ten seconds, from now to ten minutes ahead; the limit lies between two of them. */
    const futureReadings = (): Reading[] =>
      Array.from({ length: 60 }, (_, i) => ({
        machine: 'm4',
        metric: 'futureReadings',
        unit: 'percent',
        rawTag: null,
        timestamp: Date.now() + i * 10_000 + 5_000,
        value: ++n,
      }))
    const rounds = context.fullOrShort(30, 5)
    for (const [w, transport] of transports.entries()) {
      const batches = Array.from({ length: rounds }, () => [...CLOCKS, null]).flat()
      const next = () => {
        const clock = batches.shift()
        return clock === undefined ? null : clock ? batchOf(clock) : futureReadings()
      }
      context.say(`${w === 0 ? 'MQTT' : 'HTTP'}: sending with wrong clocks`)
      const sending = startSender(context, ledger, tenantId, [transport], next, { concurrency: 1, pauseMs: 20 })
      await sending.untilAccepted(batches.length)
    }
    const counts = await finish(database.url())
    if (wrong > 0) context.reportFailure(`${wrong} readings were wrongly refused or wrongly accepted`)
    const alerts = await owner(
      (sql) => sql<{ machine: string; n: number; late: number; paging: number }[]>`
        select m.machine_identifier as machine, count(*)::int as n, count(*) filter (where a.is_too_old_to_notify)::int as late,
          count(*) filter (where exists (select from deliveries d where d.tenant_id = a.tenant_id and d.alert_id = a.id))::int as paging
        from alerts a join machines m on m.tenant_id = a.tenant_id and m.id = a.machine_id
        where a.metric_name = ${RULE.metric_name} group by 1`,
    )
    const found = CLOCKS.map(({ machine, alerts: expected }) => {
      const { n: raised, late, paging } = alerts.find((a) => a.machine === machine) ?? { n: 0, late: 0, paging: 0 }
      const wanted =
        expected === 'pages' ? [2 * rounds, 0, 2 * rounds] : expected.startsWith('late') ? [2 * rounds, 2 * rounds, 0] : [0, 0, 0]
      if ([raised, late, paging].join() !== wanted.join())
        context.reportFailure(
          `${machine} raised ${raised} alerts, ${late} late, ${paging} with deliveries; expected ${wanted.join(', ')}`,
        )
      return raised
    })
    await hub.stop()
    return { counts, note: `${counts.refused} readings refused individually, ${found.join(', ')} alerts` }
  },
}
