import { Receipt } from '@haltless/protocol'
import type { FaultRow } from '../row.ts'
import { startMqttRelay } from './mqtt-relay.ts'
import { startSite } from './site.ts'

/** The agent's backoffs between these repeats sum up to at most 7.5 s. */
const MAX_LOST = 4

export const edgeReceiptsLost: FaultRow = {
  name: 'edge.receipts-lost',
  area: 'edge',
  what: 'up to four receipts of each batch get lost, two on average, so the agent resends it',
  async run(context) {
    let lost = 0
    const stillToLose = new Map<string, number>()
    const site = await startSite(context, {
      mqttProxy: (port) =>
        startMqttRelay(context, port, ({ from, topic, payload }) => {
          if (from === 'agent' || !topic.endsWith('/receipts')) return 1
          const batch = Receipt.parse(JSON.parse(payload.toString('utf8'))).batch_id
          const left = stillToLose.get(batch) ?? Math.floor(context.random.uniform() * (MAX_LOST + 1))
          if (left === 0) return 1
          stillToLose.set(batch, left - 1)
          lost++
          return 0
        }),
    })
    context.say('sending')
    await site.serve(context.fullOrShort(30_000, 1_500), 120_000)
    const found = await site.finish()
    if (lost === 0) context.reportFailure('no receipt was lost')
    return { ...found, note: `${lost} receipts lost` }
  },
}

export const edgeBatchesDoubled: FaultRow = {
  name: 'edge.batches-doubled',
  area: 'edge',
  what: 'a bridge between agent and broker repeats every batch and every receipt',
  async run(context) {
    let doubled = 0
    const site = await startSite(context, {
      mqttProxy: (port) =>
        startMqttRelay(context, port, ({ topic }) => {
          if (!/\/(readings|receipts)$/.test(topic)) return 1
          doubled++
          return 2
        }),
    })
    context.say('sending')
    await site.serve(context.fullOrShort(30_000, 1_500), 120_000)
    const found = await site.finish()
    if (doubled === 0) context.reportFailure('nothing was doubled')
    return { ...found, note: `${doubled} messages passed on twice` }
  },
}
