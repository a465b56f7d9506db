import { deflateRawSync } from 'node:zlib'
import { encodeBatch, toColumns } from '@haltless/protocol'
import { fullOrShort } from '@haltless/protocol/bench'
import mqtt from 'mqtt'

/**
 * The background load of another benchmark: 10 agents with 100 machines each, of 10 metrics at 1 Hz. Each machine sends a message
 * a second. Arguments: MQTT port, tenant, API key. Sends until its input ends. Prints `ready` when the hub has answered a
 * second's messages within a second. At the end it prints the messages sent and answered since then, and the seconds.
 */
const AGENTS = 10
const MACHINES = fullOrShort(1_000, 100)
/** number of seconds for which messages are prepared in advance, because encoding them would be a load of its own */
const SECONDS = 90
const TICK_MS = 10

const [port, tenantId, key] = process.argv.slice(2) as [string, string, string]
const start = Math.floor(Date.now() / 1_000) * 1_000
const messageOf = (machine: number, second: number) => {
  const readings = Array.from({ length: 10 }, (_, i) => ({
    machine: `m${machine + 1}`,
    metric: `metric_${i}`,
    unit: 'celsius',
    rawTag: null,
    timestamp: start + second * 1_000,
    value: Math.round((50 + 10 * Math.sin(machine + second / 10) + i / 10) * 100) / 100,
  }))
  const payload = encodeBatch({ batchId: crypto.randomUUID(), ...toColumns(readings) }, (bytes) => deflateRawSync(bytes))
  return Buffer.from(payload)
}
const messages = Array.from({ length: SECONDS * MACHINES }, (_, n) => messageOf(n % MACHINES, Math.floor(n / MACHINES)))

let answered = 0
const agents = await Promise.all(
  Array.from({ length: AGENTS }, async (_, i) => {
    const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, {
      protocolVersion: 4,
      username: `background-${i}`,
      password: key,
    })
    const prefix = `haltless/v1/${tenantId}/background-${i}`
    client.on('message', (_topic, payload) => {
      if (payload.includes('"accepted_count":10,')) answered++
    })
    await client.subscribeAsync(`${prefix}/receipts`, { qos: 1 })
    return { client, topic: `${prefix}/readings` }
  }),
)

let sent = 0
let ready: { sent: number; answered: number; at: number } | undefined
const started = performance.now()
const timer = setInterval(() => {
  const due = Math.min(messages.length, Math.floor(((performance.now() - started) * MACHINES) / 1_000))
  for (; sent < due; sent++) {
    const { client, topic } = agents[sent % AGENTS] as (typeof agents)[number]
    client.publish(topic, messages[sent] as Buffer, { qos: 1 })
  }
  if (!ready && sent > 3 * MACHINES && sent - answered < MACHINES / 10) {
    ready = { sent, answered, at: performance.now() }
    process.stdout.write('ready\n')
  }
}, TICK_MS)

process.stdin.resume().once('end', () => {
  clearInterval(timer)
  if (ready) {
    const seconds = (performance.now() - ready.at) / 1_000
    process.stdout.write(`${JSON.stringify({ sent: sent - ready.sent, answered: answered - ready.answered, seconds })}\n`)
  }
  for (const { client } of agents) client.end(true)
})
