import type { CollectorDeps, MqttSource, ProbeDeps, ProtocolAdapter } from '../collector.ts'
import { StatusBoard } from '../status-board.ts'
import { createBrokerCollector } from './broker-collector.ts'
import { mqttContract } from './contract.ts'
import { probeBroker } from './probe.ts'
import { TopicReader, topicTags } from './topics.ts'

export const mqttAdapter: ProtocolAdapter<MqttSource> = {
  ...mqttContract,
  needsClientIdentity: false,
  isSaidByDevice: () => false,
  browser: null,
  create(source, deps: CollectorDeps) {
    const tags = topicTags(source)
    const board = new StatusBoard(tags, deps, true)
    return createBrokerCollector(
      source,
      tags,
      board,
      deps,
      (pending) => new TopicReader(source.config, tags, board, deps.clock, pending),
    )
  },
  probe(source, deps: ProbeDeps, signal) {
    const tags = topicTags(source)
    const board = new StatusBoard(tags, deps)
    return probeBroker(source, 'MQTT broker', tags, board, deps, signal, (pending) => {
      const handler = new TopicReader(source.config, tags, board, deps.clock, pending, true)
      return { handler, isComplete: () => handler.silent === 0, words: () => handler.interval() }
    })
  },
}
