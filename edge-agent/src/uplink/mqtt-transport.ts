import { Socket } from 'node:net'
import { AgentState, Directives, Receipt, topicOf } from '@haltless/protocol'
import type { ErrorWithReasonCode, IClientOptions, MqttClient } from 'mqtt'
import { errorMessage } from '../support/error-message.ts'
import type { ProxySettings } from '../support/proxy.ts'
import { connectMqtt } from './mqtt-client.ts'
import { type MqttMessage, type SendOutcome, type Transport, TransportError, type TransportKind } from './transport.ts'

export interface MqttTransportOptions {
  url: string
  clientId: string
  username?: string
  password?: string
  topicPrefix: string
  ca?: string[]
  proxy?: ProxySettings | null
  connectTimeoutMs: number
  /** false for a test connection, which does not change the published state of a running agent */
  isAnnounced?: boolean
  onBroken: () => void
  onDirectives: (directives: Directives) => void
  onSources: (given: unknown) => void
}

const state = (online: boolean): string => JSON.stringify(AgentState.parse({ online }))
/** CONNACK: bad user name or password, not authorized. Source: MQTT 3.1.1, table 3.1 */
const CREDENTIAL_CODES = [4, 5]

/**
 * A session on the broker, over TCP or WebSocket. It does not reconnect by itself: the uplink chooses the next transport. It
 * ignores PUBACK on purpose: brokers send it before anything is stored.
 * @throws TransportError
 */
export async function openMqttTransport(options: MqttTransportOptions): Promise<MqttTransport> {
  const { url, clientId, username, password, ca, topicPrefix } = options
  const settings: IClientOptions = {
    clientId,
    username,
    password,
    ca,
    protocolVersion: 4,
    clean: true,
    keepalive: 30,
    connectTimeout: options.connectTimeoutMs,
    resubscribe: false,
    will:
      options.isAnnounced === false
        ? undefined
        : { topic: topicOf(topicPrefix, 'state'), payload: Buffer.from(state(false)), qos: 1, retain: true },
  }
  const client = await connectMqtt(url, settings, options.proxy ?? null).catch((error: unknown) => {
    throw new TransportError(errorMessage(error))
  })
  try {
    await connected(client)
    // A batch behind the unacknowledged PUBACK of the last receipt would wait 40 ms in Nagle's buffer.
    if (client.stream instanceof Socket) client.stream.setNoDelay(true)
    const transport = new MqttTransport(client, options)
    const topics = (['receipts', 'directives', 'sources'] as const).map((name) => topicOf(topicPrefix, name))
    const granted = await client.subscribeAsync(topics, { qos: 1 })
    if (granted.some(({ topic, qos }) => topic === topics[0] && qos > 2))
      throw new TransportError('the broker refused the subscription to receipts')
    void transport.announce(true)
    return transport
  } catch (error) {
    client.end(true)
    if (error instanceof TransportError) throw error
    const code = (error as ErrorWithReasonCode).code as unknown
    throw new TransportError(errorMessage(error), CREDENTIAL_CODES.includes(code as number))
  }
}

function connected(client: MqttClient): Promise<void> {
  return new Promise((resolve, reject) => {
    client.once('connect', () => resolve())
    client.on('error', reject)
    client.once('close', () => reject(new TransportError('the connection was closed before it was open')))
  })
}

export class MqttTransport implements Transport {
  readonly kind: TransportKind
  brokenBy: string | null = null
  readonly #client: MqttClient
  readonly #options: MqttTransportOptions
  readonly #waiting = new Map<string, (outcome: SendOutcome) => void>()

  constructor(client: MqttClient, options: MqttTransportOptions) {
    this.kind = /^wss?:/.test(options.url) ? 'websocket' : 'mqtt'
    this.#client = client
    this.#options = options
    client.on('message', (topic, payload) => this.#onMessage(topic, payload))
    client.on('error', (error) => this.#break(errorMessage(error)))
    client.on('close', () => this.#break('the broker closed the connection'))
  }

  send(batch: MqttMessage, timeoutMs: number): Promise<SendOutcome> {
    if (this.brokenBy !== null) return Promise.resolve({ kind: 'silent', why: this.brokenBy })
    const { buffer, byteOffset, byteLength } = batch.encode()
    return new Promise((resolve) => {
      const timer = setTimeout(() => done({ kind: 'silent', why: `no receipt within ${timeoutMs / 1_000} s` }), timeoutMs)
      const done = (outcome: SendOutcome) => {
        clearTimeout(timer)
        this.#waiting.delete(batch.batchId)
        resolve(outcome)
      }
      this.#waiting.set(batch.batchId, done)
      this.#client.publish(this.#topic('readings'), Buffer.from(buffer, byteOffset, byteLength), { qos: 1 }, (error) => {
        if (error) done({ kind: 'silent', why: errorMessage(error) })
      })
    })
  }

  /** Tells the hub how the agent is, where HTTP does not reach it. */
  sendTelemetry(telemetry: object): void {
    if (this.brokenBy === null) this.#client.publish(this.#topic('telemetry'), JSON.stringify(telemetry), { qos: 1 })
  }

  /** Publishes on `state` whether the agent is online. */
  async announce(isOnline: boolean): Promise<void> {
    if (this.#options.isAnnounced === false) return
    await this.#client.publishAsync(this.#topic('state'), state(isOnline), { qos: 1, retain: true }).catch(() => {})
  }

  /** Closes the connection without DISCONNECT, because the session seems dead. */
  abandon(why: string): void {
    this.#break(why)
  }

  async close(): Promise<void> {
    if (this.brokenBy === null) {
      // A graceful DISCONNECT suppresses the last will, so we publish it ourselves.
      await Promise.race([this.announce(false), new Promise((resolve) => setTimeout(resolve, 1_000).unref())])
      this.#break('closed')
    }
    await this.#client.endAsync(true).catch(() => {})
  }

  #topic(name: Parameters<typeof topicOf>[1]): string {
    return topicOf(this.#options.topicPrefix, name)
  }

  #break(why: string): void {
    if (this.brokenBy !== null) return
    this.brokenBy = why
    for (const done of this.#waiting.values()) done({ kind: 'silent', why })
    this.#client.end(true)
    this.#options.onBroken()
  }

  #onMessage(topic: string, payload: Buffer): void {
    if (topic === this.#topic('receipts')) {
      const receipt = Receipt.safeParse(parse(payload))
      if (receipt.success) this.#waiting.get(receipt.data.batch_id)?.({ kind: 'receipt', receipt: receipt.data })
    } else if (topic === this.#topic('directives')) {
      const directives = Directives.safeParse(parse(payload))
      if (directives.success) this.#options.onDirectives(directives.data)
    } else if (topic === this.#topic('sources')) {
      this.#options.onSources(parse(payload))
    }
  }
}

function parse(payload: Buffer): unknown {
  try {
    return JSON.parse(payload.toString('utf8'))
  } catch {
    return null
  }
}
