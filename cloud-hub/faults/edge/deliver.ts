import { Receipt } from '@haltless/protocol'
import type { FaultRow } from '../row.ts'
import { startMqttRelay } from './mqtt-relay.ts'
import { startSite } from './site.ts'

/** Backoffs of the agent in between: at most 7.5 s. */
const LOST_AT_MOST = 4

export const edgeReceiptsLost: FaultRow = {
  name: 'edge.receipts-lost',
  area: 'edge',
  what: 'of each batch up to four receipts get lost on the way to the agent, two on average, so it sends again and again',
  async run(context) {
    let lost = 0
    const stillToLose = new Map<string, number>()
    const site = await startSite(context, {
      mqttBehind: (port) =>
        startMqttRelay(context, port, ({ from, topic, payload }) => {
          if (from === 'agent' || !topic.endsWith('/receipts')) return 1
          const batch = Receipt.parse(JSON.parse(payload.toString('utf8'))).batch_id
          const left = stillToLose.get(batch) ?? Math.floor(context.chance.uniform() * (LOST_AT_MOST + 1))
          if (left === 0) return 1
          stillToLose.set(batch, left - 1)
          lost++
          return 0
        }),
    })
    context.say('sending')
    await site.serve(context.times(30_000, 1_500), 120_000)
    const found = await site.finish()
    if (lost === 0) context.complain('no receipt was lost')
    return { ...found, note: `${lost} receipts lost` }
  },
}

export const edgeBatchesDoubled: FaultRow = {
  name: 'edge.batches-doubled',
  area: 'edge',
  what: 'a bridge on the way repeats every batch, and every receipt',
  async run(context) {
    let doubled = 0
    const site = await startSite(context, {
      mqttBehind: (port) =>
        startMqttRelay(context, port, ({ topic }) => {
          if (!/\/(readings|receipts)$/.test(topic)) return 1
          doubled++
          return 2
        }),
    })
    context.say('sending')
    await site.serve(context.times(30_000, 1_500), 120_000)
    const found = await site.finish()
    if (doubled === 0) context.complain('nothing was doubled')
    return { ...found, note: `${doubled} messages passed on twice` }
  },
}
