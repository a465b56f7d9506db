import { kindOf } from '@haltless/protocol'
import { until } from '../../test/processes.ts'
import type { RowContext } from '../row.ts'
import { type Bridge, startMqttRelay } from './mqtt-relay.ts'

/** Batches that an agent has published: with names, with numbers of a dictionary, and its announcements. */
export interface WireWatch {
  readonly seen: { named: number; numbered: number; announced: number }
  /** for `SiteOptions.mqttProxy` */
  proxy(port: number): Promise<{ port: number }>
  /** waits until so many more batches with numbers have passed */
  untilNumbered(more: number): Promise<void>
}

/** @param decide what happens to a batch with numbers; passes on everything else */
export function watchWire(context: RowContext, decide: () => ReturnType<Bridge> = () => 1): WireWatch {
  const seen = { named: 0, numbered: 0, announced: 0 }
  const bridge: Bridge = ({ from, topic, payload }) => {
    if (from === 'broker' || !topic.endsWith('/readings')) return 1
    const { kind } = kindOf(payload)
    if (kind === 'dictionary') seen.announced++
    else if (kind === 'other') seen.named++
    else {
      seen.numbered++
      return decide()
    }
    return 1
  }
  return {
    seen,
    proxy: (port) => startMqttRelay(context, port, bridge),
    async untilNumbered(more) {
      const from = seen.numbered
      await until(`${more} more batches with numbers`, () => seen.numbered >= from + more, 60_000)
    },
  }
}
