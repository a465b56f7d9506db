import type { CollectorDeps, MqttSource, ProbeDeps, ProtocolAdapter } from '../collector.ts'
import { SourceClocks } from '../source-clock.ts'
import { StatusBoard } from '../status-board.ts'
import { createBrokerCollector } from './broker-collector.ts'
import { mqttContract } from './contract.ts'
import { probeBroker } from './probe.ts'
import { TopicReader, topicTags } from './topics.ts'

export const mqttAdapter: ProtocolAdapter<MqttSource> = {
  ...mqttContract,
  needsClientIdentity: false,
  browser: null,
  create(source, deps: CollectorDeps) {
    const tags = topicTags(source)
    const clocks = new SourceClocks(source.config, 'stamped', deps, 'topic')
    const board = new StatusBoard(tags, deps, { isEventDriven: true, sourceClock: () => clocks.status() })
    return createBrokerCollector(
      source,
      tags,
      board,
      deps,
      (pending) => new TopicReader(source.config, tags, board, deps.clock, clocks, pending),
    )
  },
  probe(source, deps: ProbeDeps, signal) {
    const tags = topicTags(source)
    const board = new StatusBoard(tags, deps)
    const clocks = new SourceClocks(source.config, 'stamped', deps, 'topic')
    return probeBroker(source, 'MQTT broker', tags, board, clocks, deps, signal, (pending) => {
      const handler = new TopicReader(source.config, tags, board, deps.clock, clocks, pending, true)
      return { handler, isComplete: () => handler.silent === 0, words: () => handler.interval()?.detail ?? '' }
    })
  },
}
