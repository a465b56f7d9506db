import { createHash, randomUUID } from 'node:crypto'
import { Agent, request as httpRequest } from 'node:http'
import type { Socket } from 'node:net'
import { deflateRawSync } from 'node:zlib'
import {
  BatchDictionary,
  encodeBatch,
  encodeDictionary,
  encodeDictionaryBatch,
  type ReadingBatch,
  type Receipt,
  type Series,
} from '@haltless/protocol'
import mqtt from 'mqtt'
import type { BenchHub, BenchTenant } from './environment.ts'

/** An agent sends a batch again that has no receipt by then: a hub that cannot store it now sends none. */
const RECEIPT_MS = 30_000

const agent = new Agent({ keepAlive: true, maxSockets: 64 })

/** Posts a body with this many readings. Connections stay open until {@link closeConnections}. */
export function post(url: URL, key: string, body: Buffer, accepted: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': body.length, 'x-api-key': key }
    const request = httpRequest(url, { method: 'POST', agent, headers }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
      answer.on('end', () =>
        answer.statusCode === 207 && text.includes(`"accepted_count":${accepted}`)
          ? resolve()
          : reject(new Error(`${answer.statusCode}: ${text.slice(0, 300)}`)),
      )
    })
    request.on('error', reject).end(body)
  })
}

export const closeConnections = (): void => agent.destroy()

export const ingestUrl = (hub: BenchHub): URL => new URL(`${hub.url}/api/v1/ingest`)

/** An agent that publishes batches and waits for their receipts. */
export async function mqttAgent(hub: BenchHub, { tenantId, keys }: BenchTenant, name: string) {
  const receipts = new Map<string, (receipt: Receipt) => void>()
  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${hub.mqttPort}`, {
    protocolVersion: 4,
    username: name,
    password: keys[0] as string,
  })
  // as the agent does; otherwise the end of a batch waits for the acknowledgement of the packet before
  ;(client.stream as Socket).setNoDelay(true)
  const prefix = `haltless/v1/${tenantId}/${name}`
  client.on('message', (_topic, payload) => {
    const receipt = JSON.parse(payload.toString()) as Receipt
    receipts.get(receipt.batch_id)?.(receipt)
  })
  await client.subscribeAsync(`${prefix}/receipts`, { qos: 1 })
  const publish = async (id: string, payload: Buffer): Promise<Receipt> => {
    const receipt = new Promise<Receipt>((resolve) => receipts.set(id, resolve))
    const send = () => client.publish(`${prefix}/readings`, payload, { qos: 1 })
    send()
    const again = setInterval(send, RECEIPT_MS)
    return receipt.finally(() => {
      clearInterval(again)
      receipts.delete(id)
    })
  }
  return {
    async send({ batchId, payload, readings }: MqttMessage): Promise<void> {
      const { accepted_count } = await publish(batchId, payload)
      if (accepted_count !== readings) throw new Error(`${accepted_count} of ${readings} readings of a batch were accepted`)
    },
    /** Announces the names of series once, as agents do, after a heartbeat: the hub stores dictionaries of known agents only. */
    async announce(series: readonly Series[]): Promise<BatchDictionary> {
      const answer = await fetch(`${hub.url}/api/v1/agent/heartbeat`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': keys[0] as string },
        body: JSON.stringify({ agent_id: name, agent_version: '0.1.0' }),
      })
      if (!answer.ok) throw new Error(`a heartbeat was answered with ${answer.status}: ${await answer.text()}`)
      const dictionary = BatchDictionary.of(series, (bytes) => createHash('sha256').update(bytes).digest())
      const id = randomUUID()
      const { refused } = await publish(id, Buffer.from(encodeDictionary(id, dictionary, deflate)))
      if (refused) throw new Error(`the hub refused a dictionary: ${refused.detail}`)
      return dictionary
    },
    close: () => client.endAsync(true),
  }
}

export interface MqttMessage {
  batchId: string
  payload: Buffer
  readings: number
}

const deflate = (bytes: Uint8Array) => deflateRawSync(bytes)

/** A batch that names its series. */
export const mqttMessage = (batch: ReadingBatch): MqttMessage => ({
  batchId: batch.batchId,
  payload: Buffer.from(encodeBatch(batch, deflate)),
  readings: batch.values.length,
})

/** A batch that refers to the series of a dictionary, in its order. */
export const numberedMessage = (batch: ReadingBatch, dictionary: BatchDictionary): MqttMessage => ({
  batchId: batch.batchId,
  payload: Buffer.from(encodeDictionaryBatch(batch, dictionary, Uint32Array.from(batch.series.keys()))),
  readings: batch.values.length,
})
