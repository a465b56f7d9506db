import { EventEmitter } from 'node:events'
import { OpcUaConfig } from '@haltless/protocol'
import { expect, test } from 'vitest'
import type { OpcUaSource } from '../collector.ts'
import { PollSchedule } from '../poll-schedule.ts'
import { tagsOf } from './collector.ts'
import type { ServerConnection } from './connection.ts'
import type { Node } from './nodes.ts'
import { runSubscription } from './subscribe.ts'
import type { ValueConverter } from './values.ts'

test('a steady value is repeated once per interval, also when the server takes part of one to tell its time', async () => {
  let now = 0
  const subscription = Object.assign(new EventEmitter(), {
    publishingInterval: 250,
    maxKeepAliveCount: 4,
    monitorItems: async () => ({ on: () => {}, monitoredItems: [{ statusCode: { isGood: () => true } }] }),
    terminate: async () => {},
  })
  const clock = {
    now: () => now,
    monotonic: () => now,
    sleep: async (ms: number) => {
      now += Math.max(0, ms)
      subscription.emit('raw_notification')
    },
  }
  const connection = {
    opcua: { DataChangeFilter: class {}, DeadbandType: {}, DataChangeTrigger: {}, TimestampsToReturn: {} },
    session: { createSubscription2: async () => subscription },
    paced: (request: () => unknown) => request(),
    itemsPerCall: 10,
    gone: new AbortController().signal,
    lose: () => {},
  } as unknown as ServerConnection
  const source: OpcUaSource = {
    name: 'press',
    machine: 'press',
    protocol: 'opcua',
    host: '127.0.0.1',
    port: 1,
    pollIntervalSeconds: 1,
    config: OpcUaConfig.parse({ mode: 'subscribe', nodes: [{ node_id: 'ns=1;s=A', metric_name: 'a', unit: 'u' }] }),
  }
  const repeatedAt: number[] = []
  const ended = new AbortController()
  const values = {
    repeat: () => {
      repeatedAt.push(now)
      if (repeatedAt.length === 4) ended.abort()
    },
  } as unknown as ValueConverter
  const nodes = [{ index: 0, read: {} }] as unknown as Node[]
  await runSubscription(connection, source, nodes, tagsOf(source), values, clock, {
    schedule: new PollSchedule(clock, 1_000),
    ended: ended.signal,
    handOn: async () => {},
    onAlive: () => {},
    onFirst: () => {},
    onInterval: async () => {
      now += 300
    },
  })
  expect(repeatedAt).toEqual([1_300, 2_300, 3_300, 4_300])
})
