import type { FaultRow, RowContext } from '../row.ts'
import { answerSummary, countingSource, startSender } from '../sender.ts'
import { startHubAndStream } from '../stream.ts'
import { httpTransport, MAX_RESTAMP_MS, mqttTransport, sendOnAll, type Transport } from '../transports.ts'

/** Loses a share of the answers: the hub has stored the batch, and the sender repeats it. */
function withLostAnswers(context: RowContext, transport: Transport, share: number): Transport {
  return {
    send: async (batch) => {
      const result = await transport.send(batch)
      return result.rejections && context.random.uniform() < share ? { answer: 'lost in transit' } : result
    },
    close: transport.close,
  }
}

export const receiptsLost: FaultRow = {
  name: 'receipts.lost',
  area: 'hub',
  what: 'two of three receipts and answers get lost, so senders repeat all batches, one program with new timestamps',
  async run(context) {
    const { hub, database, tenant, ledger, sending, alarms, finish } = await startHubAndStream(context, {
      wrap: (transport) => withLostAnswers(context, transport, 2 / 3),
    })
    const stamping = withLostAnswers(context, httpTransport(hub.url, tenant.keys, { idempotent: true, restamped: true }), 2 / 3)
    context.defer(() => stamping.close())
    const next = countingSource(['m0'], { metrics: 2, size: 20 })
    const keyed = () => next().map((reading) => ({ ...reading, metric: `keyed_${reading.metric}` }))
    const options = { concurrency: 1, pauseMs: 40, maxRestampMs: MAX_RESTAMP_MS }
    const stamped = startSender(context, ledger, tenant.tenantId, [stamping], keyed, options)
    context.say('sending')
    await Promise.all([
      sending.untilAccepted(context.fullOrShort(300, 25), 120_000),
      stamped.untilAccepted(context.fullOrShort(40, 5), 120_000),
    ])
    await stamped.finish()
    const counts = await finish(database.url())
    await hub.stop()
    return { counts, note: `${alarms.crossings()} alerts; ${answerSummary(sending)}` }
  },
}

export const batchesTwice: FaultRow = {
  name: 'batches.twice',
  area: 'hub',
  what: 'every batch is sent over MQTT and twice over HTTP at the same moment',
  async run(context) {
    const { hub, database, sending, alarms, finish } = await startHubAndStream(context, {
      agentTransport:
        ({ url, mqttUrl }) =>
        ({ tenantId, keys }, agentId) =>
          sendOnAll(
            mqttTransport(mqttUrl, { tenantId, agentId, password: keys[0] as string }),
            httpTransport(url, keys.slice(0, 10)),
            httpTransport(url, keys.slice(10)),
          ),
    })
    context.say('sending')
    await sending.untilAccepted(context.fullOrShort(300, 25), 120_000)
    const counts = await finish(database.url())
    await hub.stop()
    return { counts, note: `${alarms.crossings()} alerts; ${answerSummary(sending)}` }
  },
}
