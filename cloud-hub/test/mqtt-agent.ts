import { randomUUID } from 'node:crypto'
import type { Reading, Receipt } from '@haltless/protocol'
import mqtt, { type IClientOptions, type MqttClient } from 'mqtt'
import { onTestFinished } from 'vitest'
import { batchOf } from './batch.ts'
import { soon } from './soon.ts'

export interface Arrived {
  topic: string
  payload: string
  retain: boolean
}

/** An MQTT client as a plant has one; it never reconnects by itself. */
export interface MqttAgent {
  client: MqttClient
  prefix: string
  arrived: Arrived[]
  isOpen(): boolean
  /** publishes readings as a batch, and resolves with PUBACK; returns the batch's id */
  send(readings: Reading[], batchId?: string): Promise<string>
  /** waits for the receipt of a batch */
  receipt(batchId: string): Promise<Receipt>
}

/** Connects; the connection ends with the test. @throws with `code` as CONNACK gave it */
export async function connectMqtt(url: string, prefix: string, options: IClientOptions): Promise<MqttAgent> {
  const arrived: Arrived[] = []
  const client = mqtt.connect(url, { protocolVersion: 4, reconnectPeriod: 0, connectTimeout: 8_000, ...options })
  let isOpen = false
  client.on('message', (topic, payload, { retain }) => arrived.push({ topic, payload: payload.toString(), retain }))
  client.on('close', () => {
    isOpen = false
  })
  await new Promise<void>((resolve, reject) => {
    client.once('connect', () => resolve())
    client.once('error', reject)
    client.once('close', () => reject(new Error('closed before CONNACK')))
  }).catch((error) => {
    client.end(true)
    throw error
  })
  isOpen = true
  client.on('error', () => {})
  onTestFinished(async () => {
    await client.endAsync(true)
  })
  const receiptOf = (batchId: string) =>
    arrived
      .filter(({ topic }) => topic === `${prefix}/receipts`)
      .map(({ payload }) => JSON.parse(payload) as Receipt)
      .find((receipt) => receipt.batch_id === batchId)
  return {
    client,
    prefix,
    arrived,
    isOpen: () => isOpen,
    send: async (readings, batchId = randomUUID()) => {
      await client.publishAsync(`${prefix}/readings`, batchOf(readings, batchId), { qos: 1 })
      return batchId
    },
    receipt: (batchId) =>
      soon(() => {
        const receipt = receiptOf(batchId)
        if (!receipt) throw new Error(`no receipt of ${batchId} yet`)
        return receipt
      }),
  }
}

/** How a login ends: the return code of CONNACK (0: let in, 2: agent_id in use, 4: bad credential), or `closed`. */
export const loginCode = (login: Promise<MqttAgent>): Promise<number | string> =>
  login.then(
    () => 0,
    (error) => error.code ?? 'closed',
  )

/** `count` readings of one series, a second apart, the last one `at`. */
export const readingsOf = (machine: string, count: number, at: Date, values: Partial<Reading> = {}): Reading[] =>
  Array.from({ length: count }, (_, i) => ({
    machine,
    metric: 'temperature',
    unit: 'celsius',
    rawTag: null,
    timestamp: at.getTime() - (count - 1 - i) * 1000,
    value: 20 + i / 100,
    ...values,
  }))
