import type { FaultRow, RowContext } from '../row.ts'
import { countingSource, heard, startSending } from '../sender.ts'
import { startHubAndStream } from '../stream.ts'
import { httpWay, mqttWay, RESTAMPED_MS, together, type Way } from '../ways.ts'

/** Answers that get lost before they arrive: the batch is stored, and sent again. */
function losing(context: RowContext, way: Way, share: number): Way {
  return {
    send: async (batch) => {
      const verdict = await way.send(batch)
      return verdict.rejections && context.chance.uniform() < share ? { answer: 'lost on the way' } : verdict
    },
    close: way.close,
  }
}

export const receiptsLost: FaultRow = {
  name: 'receipts.lost',
  area: 'hub',
  what: 'of three receipts and answers two get lost between hub and sender, so everything is sent again, by one program with new timestamps',
  async run(context) {
    const { hub, database, tenant, ledger, sending, alarms, finish } = await startHubAndStream(context, {
      between: (way) => losing(context, way, 2 / 3),
    })
    const stamping = losing(context, httpWay(hub.url, tenant.keys, { idempotent: true, restamped: true }), 2 / 3)
    context.defer(() => stamping.close())
    const next = countingSource(['m0'], { metrics: 2, size: 20 })
    const keyed = () => next().map((reading) => ({ ...reading, metric: `keyed_${reading.metric}` }))
    const options = { lanes: 1, pauseMs: 40, restampedMs: RESTAMPED_MS }
    const stamped = startSending(context, ledger, tenant.tenantId, [stamping], keyed, options)
    context.say('sending')
    await Promise.all([sending.next(context.times(300, 25), 120_000), stamped.next(context.times(40, 5), 120_000)])
    await stamped.finish()
    const counts = await finish(database.url())
    await hub.stop()
    return { counts, note: `${alarms.raised()} alerts; ${heard(sending)}` }
  },
}

export const batchesTwice: FaultRow = {
  name: 'batches.twice',
  area: 'hub',
  what: 'every batch goes out over MQTT and twice over HTTP at the same moment',
  async run(context) {
    const { hub, database, sending, alarms, finish } = await startHubAndStream(context, {
      agentWay:
        ({ url, mqttUrl }) =>
        ({ tenantId, keys }, agentId) =>
          together(
            mqttWay(mqttUrl, { tenantId, agentId, password: keys[0] as string }),
            httpWay(url, keys.slice(0, 10)),
            httpWay(url, keys.slice(10)),
          ),
    })
    context.say('sending')
    await sending.next(context.times(300, 25), 120_000)
    const counts = await finish(database.url())
    await hub.stop()
    return { counts, note: `${alarms.raised()} alerts; ${heard(sending)}` }
  },
}
