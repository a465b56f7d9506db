import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import type { Socket } from 'node:net'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { deflateRawSync } from 'node:zlib'
import { encodeBatch, toColumns } from '@haltless/protocol'
import { type BenchRow, fullOrShort, runRows } from '@haltless/protocol/bench'
import mqtt from 'mqtt'
import { addMachines, addRules, type BenchHub, startBenchHub } from './environment.ts'

/**
 * Measures from publishing a reading that crosses its threshold to the arrival of the webhook. The alert is committed in between.
 */
const SAMPLES = fullOrShort(500, 20)
/** A webhook that has not arrived after this time is lost. */
const ARRIVES_MS = 20_000
/** Machines with a rule each in the background plant; a thousand of them send a message a second. */
const BUSY_MACHINES = fullOrShort(10_000, 200)
const BUSY_MESSAGES = fullOrShort(1_000, 100)
const quantile = (values: number[], q: number) => [...values].sort((a, b) => a - b)[Math.ceil(values.length * q) - 1] as number

async function receiver() {
  let arrived: () => void = () => {}
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(204).end()
      arrived()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}/`,
    next: () =>
      new Promise<number>((resolve, reject) => {
        const late = setTimeout(() => reject(new Error('the webhook did not arrive')), ARRIVES_MS)
        arrived = () => {
          clearTimeout(late)
          resolve(performance.now())
        }
      }),
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** @returns once the hub answers its messages as fast as they come; `close` fails when that did not last */
async function startBackground(hub: BenchHub) {
  const script = path.join(import.meta.dirname, 'background.ts')
  const child = spawn(process.execPath, [script, String(hub.mqttPort), hub.tenantId, hub.keys[0] as string], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  await lines.next()
  return {
    async close() {
      child.stdin.end()
      const { sent, answered, seconds } = JSON.parse((await lines.next()).value ?? '{}') as Record<string, number>
      const least = fullOrShort(0.95, 0) * BUSY_MESSAGES * (seconds as number)
      if (!((sent as number) >= least && (answered as number) >= least))
        throw new Error(`the background came to ${sent} messages and ${answered} answers in ${seconds} s`)
    },
  }
}

const row = (kind: 'webhook' | 'busy', name: 'p50' | 'p99'): BenchRow => ({
  row: `alert.${kind}.${name}`,
  against: `bare path: publish, one committed row, POST${kind === 'busy' ? ', beside the same background' : ''}`,
  unit: 'milliseconds',
  prepare: async () => {
    const sink = await receiver()
    const hub = await startBenchHub({}, { OUTBOUND_ALLOW: '127.0.0.0/8', LOG_LEVEL: 'info' })
    await addMachines(hub, 0, kind === 'busy' ? BUSY_MACHINES : 1)
    await addRules(hub, 0, kind === 'busy' ? BUSY_MACHINES : 0)
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${hub.tokens[0]}` }
    const post = async (route: string, body: object) => {
      const answer = await fetch(`${hub.url}/api/v1${route}`, { method: 'POST', headers, body: JSON.stringify(body) })
      if (!answer.ok) throw new Error(await answer.text())
    }
    await post('/alert-rules', { metric_name: 'vibration', warning_threshold: 4, critical_threshold: 8 })
    await post('/notification-channels', { name: 'bench', channel_type: 'webhook', config: { url: sink.url } })

    const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${hub.mqttPort}`, {
      protocolVersion: 4,
      username: 'bench',
      password: hub.keys[0] as string,
    })
    const prefix = `haltless/v1/${hub.tenantId}/bench`
    await client.subscribeAsync(`${prefix}/receipts`, { qos: 1 })
    // fresh, so that the hub also writes the machine's status
    let at = 0
    const nextInstant = () => {
      at = Math.max(at + 1, Date.now())
      return at
    }
    const receipts = new Map<string, () => void>()
    client.on('message', (_topic, payload) => receipts.get((JSON.parse(String(payload)) as { batch_id: string }).batch_id)?.())
    /** Prepares a batch as an agent does. @returns sends it; resolves with the receipt */
    const batchOf = (...values: number[]) => {
      const batchId = crypto.randomUUID()
      const readings = values.map((value) => ({
        machine: 'm0',
        metric: 'vibration',
        unit: 'mm/s',
        rawTag: null,
        timestamp: nextInstant(),
        value,
      }))
      const batch = Buffer.from(encodeBatch({ batchId, ...toColumns(readings) }, (bytes) => deflateRawSync(bytes)))
      const told = new Promise<void>((resolve) => receipts.set(batchId, resolve))
      return () => {
        client.publish(`${prefix}/readings`, batch, { qos: 1 })
        return told
      }
    }

    const bare = spawn(process.execPath, [path.join(import.meta.dirname, 'bare-path.ts'), hub.databaseUrl, sink.url], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const port = await new Promise<number>((resolve) => bare.stdout.once('data', (text) => resolve(Number(String(text)))))
    const bareClient = await mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, { protocolVersion: 4 })

    // Nagle's algorithm would delay a small packet behind an unacknowledged PUBACK by 40 ms, on either side.
    for (const each of [client, bareClient]) (each.stream as Socket).setNoDelay(true)

    const measure = (prepare: () => () => Promise<unknown>, settle: () => Promise<unknown>) => async () => {
      const took: number[] = []
      for (let i = 0; i < SAMPLES; i++) {
        const next = sink.next()
        const crossing = prepare()
        const started = performance.now()
        const told = crossing()
        took.push((await next) - started)
        await told
        await settle()
      }
      return quantile(took, name === 'p50' ? 0.5 : 0.99)
    }
    const cross = measure(
      () => batchOf(5),
      () => batchOf(1, 1)(),
    )
    let crossings = 0
    /** Counts alerts, and fails unless every crossing raised one. */
    const ours = async () => {
      const took = await cross()
      crossings += SAMPLES
      const [found] = await hub.owner<{ n: number }[]>`select count(*)::int as n from alerts`
      if (found?.n !== crossings) throw new Error(`${crossings} crossings raised ${found?.n} alerts`)
      return took
    }
    const background = kind === 'busy' ? await startBackground(hub) : undefined
    // PostgreSQL plans for empty tables in a new database until autovacuum analyzes them, which it does once a minute.
    await ours()
    await hub.owner`analyze`
    return {
      ours,
      theirs: measure(
        () => () => bareClient.publishAsync('readings', '5', { qos: 1 }),
        async () => {},
      ),
      close: async () => {
        const settled = await Promise.allSettled([background?.close()])
        await client.endAsync(true)
        await bareClient.endAsync(true)
        bare.kill('SIGKILL')
        sink.close()
        await hub.close()
        for (const { reason } of settled.filter((one) => one.status === 'rejected')) throw reason
      },
    }
  },
})

await runRows(
  (['webhook', 'busy'] as const).flatMap((kind) => [row(kind, 'p50'), row(kind, 'p99')]),
  process.argv.slice(2),
)
