import type { FaultRow } from '../row.ts'
import { startMqttRelay } from './mqtt-relay.ts'
import { startSite } from './site.ts'

export const edgeReceiptsLost: FaultRow = {
  name: 'edge.receipts-lost',
  area: 'edge',
  what: 'of three receipts two get lost on the way to the agent, so it sends again and again',
  async run(context) {
    let lost = 0
    const site = await startSite(context, {
      mqttBehind: (port) =>
        startMqttRelay(context, port, ({ from, topic }) => {
          if (from === 'agent' || !topic.endsWith('/receipts') || context.chance.uniform() < 1 / 3) return 1
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
