import { createHash, randomUUID } from 'node:crypto'
import { Agent, request as httpRequest } from 'node:http'
import { request as httpsRequest, Agent as TlsAgent } from 'node:https'
import type { Socket } from 'node:net'
import { type Reading, type Receipt, type Rejection, topicPrefix } from '@haltless/protocol'
import mqtt from 'mqtt'
import { batchOf } from '../test/batch.ts'

/** Readings of one batch; rejections refer to their index. */
export interface Batch {
  id: string
  readings: readonly Reading[]
}

/** The result of one attempt. `answer` is `207`, `receipt`, `503 database_away`, `closed`, `no answer`, ... */
export interface SendResult {
  answer: string
  /** set when the hub accepted the batch: the readings that it rejected individually */
  rejections?: Rejection[]
}

/** A connection to the hub, as an agent or another program uses one. */
export interface Transport {
  /** sends a batch once */
  send(batch: Batch): Promise<SendResult>
  close(): Promise<unknown>
}

/** Longer than the hub ever takes to answer. */
const ANSWER_MS = 20_000
/** An agent repeats a batch that has no receipt by then. */
const RECEIPT_MS = 1_500
/** Less than the step of {@link countingSource}: no reading gets the timestamp of another. */
export const MAX_RESTAMP_MS = 50

/** Sends each batch on several transports at the same moment. The batch is accepted when all accepted it. */
export function sendOnAll(...transports: Transport[]): Transport {
  return {
    send: async (batch) => {
      const results = await Promise.all(transports.map((transport) => transport.send(batch)))
      return results.find(({ rejections }) => !rejections) ?? (results[0] as SendResult)
    },
    close: () => Promise.all(transports.map((transport) => transport.close())),
  }
}

/**
 * `POST /ingest`, with rotating API keys to stay below the rate limit.
 * @param options.idempotent each reading carries an idempotency_key, the same on every transport
 * @param options.restamped each attempt gives its readings a later timestamp, up to {@link MAX_RESTAMP_MS} later, like a program
 * that stamps at sending; only the keys identify repeats
 * @param options.ca the certificate that the transport trusts, over HTTPS
 */
export function httpTransport(
  url: string,
  keys: readonly string[],
  options: { idempotent?: boolean; restamped?: boolean; ca?: string } = {},
): Transport {
  const { ca } = options
  const agent = ca ? new TlsAgent({ keepAlive: true, maxSockets: 64, ca }) : new Agent({ keepAlive: true, maxSockets: 64 })
  const startRequest = ca ? httpsRequest : httpRequest
  let turn = 0
  const attempts = new Map<string, number>()
  return {
    send: ({ id, readings }) =>
      new Promise((resolve) => {
        const laterMs = options.restamped ? (attempts.get(id) ?? 0) % (MAX_RESTAMP_MS + 1) : 0
        if (options.restamped) attempts.set(id, laterMs + 1)
        const body = Buffer.from(
          JSON.stringify({
            readings: readings.map((r) => ({
              machine_identifier: r.machine,
              metric_name: r.metric,
              unit: r.unit,
              value: r.value,
              timestamp: new Date(r.timestamp + laterMs).toISOString(),
              ...(options.idempotent ? { idempotency_key: idempotencyKey(r) } : {}),
            })),
          }),
        )
        const key = keys[turn++ % keys.length] as string
        const headers = { 'content-type': 'application/json', 'content-length': body.length, 'x-api-key': key }
        const request = startRequest(`${url}/api/v1/ingest`, { method: 'POST', agent, headers }, (answer) => {
          let text = ''
          answer.setEncoding('utf8').on('data', (part: string) => {
            text += part
          })
          answer.on('error', () => resolve({ answer: 'closed' }))
          answer.on('end', () => {
            if (!answer.complete) return resolve({ answer: 'closed' })
            // a balancer has no better answer where it reaches no hub, or where a hub ends within a request
            if (text.startsWith('<')) return resolve({ answer: `${answer.statusCode} of the balancer` })
            if (text === '') return resolve({ answer: `${answer.statusCode} without a text` })
            const said = JSON.parse(text) as { code?: string; errors?: Rejection[] }
            if (answer.statusCode === 207) resolve({ answer: '207', rejections: said.errors ?? [] })
            else resolve({ answer: `${answer.statusCode} ${said.code}` })
          })
        })
        request.setTimeout(ANSWER_MS, () => {
          resolve({ answer: 'no answer' })
          request.destroy()
        })
        request.on('error', (error: NodeJS.ErrnoException) =>
          resolve({ answer: error.code === 'ECONNREFUSED' ? 'no connection' : 'closed' }),
        )
        request.end(body)
      }),
    close: async () => agent.destroy(),
  }
}

/** A UUID derived from series and value, so that it identifies the reading. */
function idempotencyKey({ machine, metric, value }: Reading): string {
  const hash = createHash('sha256').update(`${machine} ${metric} ${value}`).digest('hex')
  return [hash.slice(0, 8), hash.slice(8, 12), hash.slice(12, 16), hash.slice(16, 20), hash.slice(20, 32)].join('-')
}

/** An agent over MQTT: batches in the real encoding, answered by receipts; it reconnects as often as necessary. */
export function mqttTransport(
  url: string,
  login: { tenantId: string; agentId: string; password: string; username?: string; tls?: { ca: string; localAddress: string } },
  receiptMs = RECEIPT_MS,
): Transport {
  const prefix = topicPrefix(login.tenantId, login.agentId)
  const waiting = new Map<string, (result: SendResult) => void>()
  const whenReady = new Set<() => void>()
  let ready = false
  const client = mqtt.connect(url, {
    protocolVersion: 4,
    clean: true,
    clientId: `faults-${randomUUID()}`,
    username: login.username ?? login.agentId,
    password: login.password,
    reconnectPeriod: 200,
    reconnectOnConnackError: true,
    connectTimeout: 5_000,
    resubscribe: false,
    ...login.tls,
  })
  client.on('connect', () => {
    // a small packet behind an unacknowledged one would wait 40 ms in Nagle's buffer
    ;(client.stream as Socket).setNoDelay(true)
    client.subscribe(`${prefix}/receipts`, { qos: 1 }, (error) => {
      if (error) return
      ready = true
      for (const go of whenReady) go()
      whenReady.clear()
    })
  })
  client.on('close', () => {
    ready = false
    for (const settle of waiting.values()) settle({ answer: 'closed' })
  })
  client.on('error', () => {})
  client.on('message', (_topic, payload) => {
    const receipt = JSON.parse(payload.toString()) as Receipt
    const settle = waiting.get(receipt.batch_id)
    if (receipt.refused) settle?.({ answer: `refused ${receipt.refused.code}` })
    else settle?.({ answer: 'receipt', rejections: receipt.errors })
  })
  return {
    send: (batch) =>
      new Promise((resolve) => {
        const settle = (result: SendResult) => {
          clearTimeout(late)
          waiting.delete(batch.id)
          whenReady.delete(publish)
          resolve(result)
        }
        const late = setTimeout(() => settle({ answer: ready ? 'no receipt' : 'no connection' }), receiptMs)
        const publish = () => {
          waiting.set(batch.id, settle)
          client.publish(`${prefix}/readings`, batchOf(batch.readings, batch.id), { qos: 1 }, () => {})
        }
        if (ready) publish()
        else whenReady.add(publish)
      }),
    close: () => client.endAsync(true),
  }
}
