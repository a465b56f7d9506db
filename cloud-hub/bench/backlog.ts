import { type Side, seconds } from '@haltless/protocol/bench'
import { assertStored } from '../test/support/reading-storage.ts'
import { addMachines, addRules, type BenchHub, runConcurrently, startBenchHub } from './environment.ts'
import { batchOf, jsonOf, METRICS, plantValue } from './plant-data.ts'
import { ingestUrl, mqttAgent, mqttMessage, post } from './senders.ts'

/** A backlog: a batch of 1,000 readings is 100 seconds of one machine of 10 metrics. Each round continues where the last one ended. */
const SECONDS = 100
const BATCHES = 200
export const BACKLOG_SIZE = SECONDS * METRICS.length
export const BACKLOG_MACHINES = 100
/** Ten minutes of ingest brought 20 days of each series, so there must be more than that until the present. */
const START = Math.floor((Date.now() - 80 * 86_400_000) / 1_000) * 1_000

/** Batch `n`, counted over all rounds, of so many machines from machine `first`. */
export function backlogBatch(n: number, machines = BACKLOG_MACHINES, first = 0) {
  const second = Math.floor(n / machines) * SECONDS
  return batchOf({
    machines: [first + (n % machines)],
    metrics: METRICS.map((_, i) => i),
    second,
    times: Array.from({ length: SECONDS }, (_, i) => START + (second + i) * 1_000),
    valueAt: plantValue,
  })
}

/** A hub with 100 machines and a rule for each. */
export async function backlogHub(machines = BACKLOG_MACHINES): Promise<BenchHub> {
  const hub = await startBenchHub({ keys: 100 }, { LOG_LEVEL: 'info' })
  await addMachines(hub, 0, machines)
  await addRules(hub, 0, machines)
  return hub
}

/** Sends a round over HTTP, 16 concurrent requests, prepared in advance. @returns readings per second */
export function httpBacklog(hub: BenchHub): Side {
  let sent = 0
  return async () => {
    const bodies = Array.from({ length: BATCHES }, (_, i) => jsonOf(backlogBatch(sent + i)))
    const keyOf = (i: number) => hub.keys[(sent + i) % hub.keys.length] as string
    const took = await seconds(() =>
      runConcurrently(BATCHES, 16, (i) => post(ingestUrl(hub), keyOf(i), bodies[i] as Buffer, BACKLOG_SIZE)),
    )
    sent += BATCHES
    await assertStored(hub.owner, sent * BACKLOG_SIZE)
    return (BATCHES * BACKLOG_SIZE) / took
  }
}

/** Sends a round from 8 agents, 4 batches in flight each, prepared in advance. @returns readings per second */
export async function mqttBacklog(hub: BenchHub, agents = 8): Promise<{ side: Side; close(): Promise<unknown> }> {
  const clients = await Promise.all(Array.from({ length: agents }, (_, i) => mqttAgent(hub, hub, `agent-${i}`)))
  let sent = 0
  const side = async () => {
    const messages = Array.from({ length: BATCHES }, (_, i) => mqttMessage(backlogBatch(sent + i)))
    const took = await seconds(() =>
      runConcurrently(BATCHES, agents * 4, async (i, worker) => {
        await clients[worker % agents]?.send(messages[i] as (typeof messages)[number])
      }),
    )
    sent += BATCHES
    await assertStored(hub.owner, sent * BACKLOG_SIZE)
    return (BATCHES * BACKLOG_SIZE) / took
  }
  return { side, close: () => Promise.all(clients.map((client) => client.close())) }
}
