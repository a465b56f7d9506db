import type { CollectorDeps, ProbeDeps, ProtocolAdapter, SparkplugSource } from '../collector.ts'
import { createBrokerCollector } from '../mqtt/broker-collector.ts'
import { probeBroker } from '../mqtt/probe.ts'
import { SourceClocks } from '../source-clock.ts'
import { StatusBoard } from '../status-board.ts'
import { sparkplugContract } from './contract.ts'
import { metricTags, SparkplugGroup } from './group.ts'

export const sparkplugAdapter: ProtocolAdapter<SparkplugSource> = {
  ...sparkplugContract,
  needsClientIdentity: false,
  browser: null,
  create(source, deps: CollectorDeps) {
    const tags = metricTags(source)
    const clocks = new SourceClocks(source.config, 'published', deps, 'node')
    const board = new StatusBoard(tags, deps, { sourceClock: () => clocks.status() })
    return createBrokerCollector(
      source,
      tags,
      board,
      deps,
      (pending) => new SparkplugGroup(source.config, tags, board, deps, clocks, pending),
    )
  },
  probe(source, deps: ProbeDeps, signal) {
    const tags = metricTags(source)
    const clocks = new SourceClocks(source.config, 'published', deps, 'node')
    const board = new StatusBoard(tags, deps)
    return probeBroker(source, 'MQTT broker', tags, board, clocks, deps, signal, (pending) => {
      const handler = new SparkplugGroup(source.config, tags, board, deps, clocks, pending)
      return { handler, isComplete: () => handler.isComplete && board.badTags().length === 0, words: () => '' }
    })
  },
}
