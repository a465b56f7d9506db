import { Agent, request as httpRequest } from 'node:http'
import { deflateRawSync } from 'node:zlib'
import { encodeBatch, type Reading, toColumns } from '@haltless/protocol'
import { type BenchRow, runRows, type Side, seconds } from '@haltless/protocol/bench'
import mqtt, { type MqttClient } from 'mqtt'
import { countStored } from '../test/support/stored-readings.ts'
import { addMachines, addRules, type BenchHub, runConcurrently, startBenchHub } from './environment.ts'

/**
 * 100 machines of 10 metrics at 1 Hz and 100 rules. A batch of 1,000 is 100 seconds of one machine. Each round continues where
 * the last one ended.
 */
const BATCHES = 200
const SIZE = 1_000
const MACHINES = 100
const START = Math.floor((Date.now() - 20 * 86_400_000) / 1_000) * 1_000

/** The readings of batch `n`, counted over all rounds. */
function readingsOf(n: number, machines: number): Reading[] {
  const machine = `m${n % machines}`
  const from = START + Math.floor(n / machines) * 100_000
  return Array.from({ length: SIZE }, (_, i) => ({
    machine,
    metric: `metric_${i % 10}`,
    unit: 'celsius',
    rawTag: null,
    timestamp: from + Math.floor(i / 10) * 1_000,
    value: Math.round((50 + 10 * Math.sin(n + i / 100) + (i % 7) / 10) * 100) / 100,
  }))
}

const jsonOf = (readings: Reading[]) =>
  Buffer.from(
    JSON.stringify({
      readings: readings.map((r) => ({
        machine_identifier: r.machine,
        timestamp: new Date(r.timestamp).toISOString(),
        metric_name: r.metric,
        value: r.value,
        unit: r.unit,
      })),
    }),
  )

/** Counts the stored readings of the round, and fails unless all are there. */
async function assertAllStored(hub: BenchHub, expected: number): Promise<void> {
  const stored = await countStored(hub.owner, {})
  if (stored !== expected) throw new Error(`${stored} readings are stored, not ${expected}`)
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 })
function post(url: URL, key: string, body: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': body.length, 'x-api-key': key }
    const request = httpRequest(url, { method: 'POST', agent, headers }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
      answer.on('end', () =>
        answer.statusCode === 207 && text.includes(`"accepted_count":${SIZE}`)
          ? resolve()
          : reject(new Error(`${answer.statusCode}: ${text.slice(0, 300)}`)),
      )
    })
    request.on('error', reject).end(body)
  })
}

/** Sends a round over HTTP, 16 concurrent requests, prepared in advance. @returns readings per second */
function overHttp(hub: BenchHub, machines: number): Side {
  const url = new URL(`${hub.url}/api/v1/ingest`)
  let sent = 0
  return async () => {
    const bodies = Array.from({ length: BATCHES }, (_, i) => jsonOf(readingsOf(sent + i, machines)))
    const took = await seconds(() =>
      runConcurrently(BATCHES, 16, (i) => post(url, hub.keys[(sent + i) % hub.keys.length] as string, bodies[i] as Buffer)),
    )
    sent += BATCHES
    await assertAllStored(hub, sent * SIZE)
    return (BATCHES * SIZE) / took
  }
}

/** Agents that publish batches and wait for their receipts, 4 batches in flight each. @returns readings per second */
async function overMqtt(hub: BenchHub, machines: number, agents: number): Promise<{ side: Side; close(): Promise<unknown> }> {
  const receipts = new Map<string, (accepted: number) => void>()
  const clients: { client: MqttClient; prefix: string }[] = []
  for (let i = 0; i < agents; i++) {
    const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${hub.mqttPort}`, {
      protocolVersion: 4,
      username: `agent-${i}`,
      password: hub.keys[i] as string,
    })
    const prefix = `haltless/v1/${hub.tenantId}/agent-${i}`
    client.on('message', (_topic, payload) => {
      const receipt = JSON.parse(payload.toString()) as { batch_id: string; accepted_count: number }
      receipts.get(receipt.batch_id)?.(receipt.accepted_count)
    })
    await client.subscribeAsync(`${prefix}/receipts`, { qos: 1 })
    clients.push({ client, prefix })
  }
  let sent = 0
  const side = async () => {
    const batches = Array.from({ length: BATCHES }, (_, i) => {
      const batchId = crypto.randomUUID()
      const payload = encodeBatch({ batchId, ...toColumns(readingsOf(sent + i, machines)) }, (bytes) => deflateRawSync(bytes))
      return { batchId, payload: Buffer.from(payload) }
    })
    const took = await seconds(() =>
      runConcurrently(BATCHES, agents * 4, async (i, worker) => {
        const { batchId, payload } = batches[i] as (typeof batches)[number]
        const { client, prefix } = clients[worker % agents] as (typeof clients)[number]
        const receipt = new Promise<number>((resolve) => receipts.set(batchId, resolve))
        client.publish(`${prefix}/readings`, payload, { qos: 1 })
        if ((await receipt) !== SIZE) throw new Error('a batch was not accepted whole')
        receipts.delete(batchId)
      }),
    )
    sent += BATCHES
    await assertAllStored(hub, sent * SIZE)
    return (BATCHES * SIZE) / took
  }
  return { side, close: () => Promise.all(clients.map(({ client }) => client.endAsync(true))) }
}

/**
 * The limit of PostgreSQL on this machine: 1,000 narrow rows per statement, key (series, timestamp), fsync on, 8 connections, on
 * the hub's own server.
 */
function limitOf(hub: BenchHub): Side {
  let sent = 0
  return async () => {
    await hub.owner`create table if not exists bench_limit (series_id int, ts timestamptz(3), value float8, primary key (series_id, ts))`
    const statements = Array.from({ length: BATCHES }, (_, b) => {
      const n = sent + b
      const readings = readingsOf(n, MACHINES)
      return {
        s: `{${readings.map((_r, i) => (n % MACHINES) * 10 + (i % 10)).join()}}`,
        t: `{${readings.map((r) => r.timestamp).join()}}`,
        v: `{${readings.map((r) => r.value).join()}}`,
      }
    })
    const took = await seconds(() =>
      runConcurrently(BATCHES, 8, async (i) => {
        const { s, t, v } = statements[i] as (typeof statements)[number]
        await hub.owner`insert into bench_limit select s, to_timestamp(t / 1000), v
          from unnest(${s}::text::int[], ${t}::text::float8[], ${v}::text::float8[]) n(s, t, v) on conflict do nothing`
      }),
    )
    sent += BATCHES
    const [row] = await hub.owner<{ n: number }[]>`select count(*)::int as n from bench_limit`
    if (row?.n !== sent * SIZE) throw new Error(`${row?.n} rows are stored, not ${sent * SIZE}`)
    return (BATCHES * SIZE) / took
  }
}

async function benchHub(machines: number, rules: number): Promise<BenchHub> {
  const hub = await startBenchHub({ keys: 100 }, { LOG_LEVEL: 'info' })
  await addMachines(hub, 0, machines)
  await addRules(hub, 0, rules)
  return hub
}

const AGAINST_R = 'R, the PostgreSQL limit on the same server'
const rows: BenchRow[] = [
  {
    row: 'ingest.json',
    against: AGAINST_R,
    unit: 'readings per second',
    prepare: async () => {
      const hub = await benchHub(MACHINES, 100)
      return { ours: overHttp(hub, MACHINES), theirs: limitOf(hub), close: () => hub.close() }
    },
  },
  {
    row: 'ingest.mqtt',
    against: AGAINST_R,
    unit: 'readings per second',
    prepare: async () => {
      const hub = await benchHub(MACHINES, 100)
      const sender = await overMqtt(hub, MACHINES, 8)
      return { ours: sender.side, theirs: limitOf(hub), close: () => sender.close().then(() => hub.close()) }
    },
  },
  {
    row: 'ingest.growth',
    against: 'the same readings with 10,000 machines and rules in the database; above 1 means that growth costs',
    unit: 'readings per second',
    prepare: async () => {
      const [small, large] = [await benchHub(10, 10), await benchHub(10_000, 10_000)]
      return { ours: overHttp(small, 10), theirs: overHttp(large, 10), close: () => Promise.all([small.close(), large.close()]) }
    },
  },
]

await runRows(rows, process.argv.slice(2))
agent.destroy()
