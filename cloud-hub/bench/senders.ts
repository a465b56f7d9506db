import { Agent, request as httpRequest } from 'node:http'
import type { Socket } from 'node:net'
import { deflateRawSync } from 'node:zlib'
import { encodeBatch, type ReadingBatch } from '@haltless/protocol'
import mqtt from 'mqtt'
import type { BenchHub, BenchTenant } from './environment.ts'

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
  const receipts = new Map<string, (accepted: number) => void>()
  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${hub.mqttPort}`, {
    protocolVersion: 4,
    username: name,
    password: keys[0] as string,
  })
  // as the agent does; otherwise the end of a batch waits for the acknowledgement of the packet before
  ;(client.stream as Socket).setNoDelay(true)
  const prefix = `haltless/v1/${tenantId}/${name}`
  client.on('message', (_topic, payload) => {
    const receipt = JSON.parse(payload.toString()) as { batch_id: string; accepted_count: number }
    receipts.get(receipt.batch_id)?.(receipt.accepted_count)
  })
  await client.subscribeAsync(`${prefix}/receipts`, { qos: 1 })
  return {
    async send({ batchId, payload, readings }: MqttMessage): Promise<void> {
      const receipt = new Promise<number>((resolve) => receipts.set(batchId, resolve))
      client.publish(`${prefix}/readings`, payload, { qos: 1 })
      const accepted = await receipt
      receipts.delete(batchId)
      if (accepted !== readings) throw new Error(`${accepted} of ${readings} readings of a batch were accepted`)
    },
    close: () => client.endAsync(true),
  }
}

export interface MqttMessage {
  batchId: string
  payload: Buffer
  readings: number
}

export const mqttMessage = (batch: ReadingBatch): MqttMessage => ({
  batchId: batch.batchId,
  payload: Buffer.from(encodeBatch(batch, (bytes) => deflateRawSync(bytes))),
  readings: batch.values.length,
})
