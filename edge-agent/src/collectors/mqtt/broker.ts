import { createHash } from 'node:crypto'
import { hostname } from 'node:os'
import { type Fault, fault } from '@haltless/protocol'
import type { ErrorWithReasonCode, MqttClient } from 'mqtt'
import { authorities } from '../../support/authorities.ts'
import { errorFault, fileErrorFault } from '../../support/error-message.ts'
import { FaultError } from '../../support/fault-error.ts'
import type { ProbeDeps } from '../collector.ts'
import type { BrokerSettings } from './broker-settings.ts'

const CONNECT_TIMEOUT_MS = 10_000
/** A broker that is silent for one and a half times as long is gone. */
const KEEPALIVE_SECONDS = 10
/** A message beyond ends the connection: memory for it is not ours to give. Births of Sparkplug nodes with 10,000 metrics take 1 MB. */
const MESSAGE_BYTES_MAX = 4 * 1_048_576
/** The broker refused a subscription. Source: MQTT 3.1.1, 3.9.3 */
const REFUSED = 128
/** CONNACK: bad user name or password, not authorized. Source: MQTT 3.1.1, table 3.1 */
const CREDENTIAL_CODES = [4, 5]

/** The broker lets this user not in, or not to a topic: a person has to change that. */
export class BrokerRefusal extends FaultError {
  override readonly name = 'BrokerRefusal'
}

/** A message ended the connection. It was not confirmed, so a persistent session delivers it again. */
export class MessageTooLarge extends FaultError {
  override readonly name = 'MessageTooLarge'
}

export interface BrokerSource {
  name: string
  host: string
  port: number
  config: BrokerSettings
}

/** What a connection subscribes to. */
export interface Subscription {
  /** topic filters; topic names where the session is persistent */
  readonly filters: readonly string[]
  readonly qos: 0 | 1
  /** The broker keeps messages of QoS 1 while there is no connection. */
  readonly isPersistent: boolean
}

/** @param acknowledge ends the duty of the broker to send the message again; call it in the order of the messages, once they are stored */
export type OnMessage = (topic: string, payload: Buffer, isRetained: boolean, acknowledge: () => void) => void

/** A connection to a broker with its subscriptions. A lost one is replaced, and the new one subscribes again. */
export class BrokerConnection {
  readonly #client: MqttClient
  readonly #lost = new AbortController()
  #failure = new FaultError(fault('closed_by_agent'))

  private constructor(client: MqttClient) {
    this.#client = client
    client.on('error', (error) => {
      const code = (error as ErrorWithReasonCode).code as unknown
      const isRefused = CREDENTIAL_CODES.includes(code as number)
      // the settings of TLS are those of this collector
      const found = errorFault(error, 'ca_file')
      this.#fail(isRefused ? new BrokerRefusal(fault('mqtt_refused')) : new FaultError(found))
    })
    client.on('close', () => this.lose(fault('mqtt_closed')))
    this.#limitMessages()
  }

  /**
   * Connects and subscribes. Messages may come before it resolves.
   * @throws BrokerRefusal, or Error in plain words
   */
  static async open(
    { name, host, port, config }: BrokerSource,
    { filters, qos, isPersistent }: Subscription,
    { resolveHost, pkiDir }: Pick<ProbeDeps, 'resolveHost' | 'pkiDir'>,
    onMessage: OnMessage,
    signal: AbortSignal,
  ): Promise<BrokerConnection> {
    const address = (await resolveHost?.(host, port)) ?? host
    const { tls, ca_file, username, password } = config
    const { connect } = await import('mqtt')
    signal.throwIfAborted()
    const client = connect({
      protocol: tls ? 'mqtts' : 'mqtt',
      host: address,
      port,
      ...(tls && { ca: trusted(ca_file), servername: host }),
      ...(username !== undefined && { username, password: password ?? '' }),
      clientId: config.client_id ?? clientIdOf(name, pkiDir),
      protocolVersion: 4,
      clean: !isPersistent,
      keepalive: KEEPALIVE_SECONDS,
      connectTimeout: CONNECT_TIMEOUT_MS,
      reconnectPeriod: 0,
      resubscribe: false,
    })
    const connection = new BrokerConnection(client)
    const giveUp = () => connection.lose(fault('stopped'))
    signal.addEventListener('abort', giveUp)
    if (isPersistent) connection.#acknowledgeLater()
    const wanted = new Set(filters)
    client.on('message', (topic, payload, { retain, qos, messageId }) => {
      // the session may hold a topic that the settings named once
      if (isPersistent && !wanted.has(topic)) client.unsubscribe(topic)
      onMessage(topic, payload, retain, () => {
        if (isPersistent && qos === 1) connection.#acknowledge(messageId as number)
      })
    })
    try {
      await connection.#connected()
      if (filters.length > 0) await connection.#subscribe(filters, qos)
      return connection
    } catch (error) {
      await connection.close()
      throw error
    } finally {
      signal.removeEventListener('abort', giveUp)
    }
  }

  /** aborts when the connection is lost */
  get gone(): AbortSignal {
    return this.#lost.signal
  }

  /** why it was lost */
  get failure(): FaultError {
    return this.#failure
  }

  /** The connection is of no more use. */
  lose(reason: Fault): void {
    this.#fail(new FaultError(reason))
  }

  #fail(failure: FaultError): void {
    if (this.#lost.signal.aborted) return
    this.#failure = failure
    this.#lost.abort()
    this.#client.end(true)
  }

  /** Ends the persistent session of a source, and whatever waits in it. @throws Error in plain words */
  static async discardSession(
    source: BrokerSource,
    deps: Pick<ProbeDeps, 'resolveHost' | 'pkiDir'>,
    signal: AbortSignal,
  ): Promise<void> {
    const connection = await BrokerConnection.open(source, { filters: [], qos: 0, isPersistent: false }, deps, () => {}, signal)
    await connection.close()
  }

  /** The library acknowledges a message when it has called its listeners, unless this callback gets an error, which goes nowhere. */
  #acknowledgeLater(): void {
    const later = new Error('acknowledged once it is stored')
    this.#client.handleMessage = (_, done) => done(later)
  }

  /** PUBACK. Source: MQTT 3.1.1, 3.4 */
  #acknowledge(messageId: number): void {
    if (!this.gone.aborted) this.#client.stream.write(Buffer.of(0x40, 2, messageId >> 8, messageId & 0xff))
  }

  publish(topic: string, payload: Uint8Array): void {
    this.#client.publish(topic, Buffer.from(payload), { qos: 0 })
  }

  /** Prompt, also while connecting. */
  async close(): Promise<void> {
    const wasConnected = this.#client.connected && !this.#lost.signal.aborted
    this.#lost.abort()
    if (wasConnected) await this.#client.endAsync().catch(() => {})
    this.#client.end(true)
  }

  #connected(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#client.once('connect', () => resolve())
      this.gone.addEventListener('abort', () => reject(this.#failure))
    })
  }

  async #subscribe(filters: readonly string[], qos: 0 | 1): Promise<void> {
    const granted = await this.#client.subscribeAsync([...filters], { qos }).catch((error: unknown) => {
      throw this.gone.aborted ? this.#failure : new BrokerRefusal(errorFault(error))
    })
    const refused = granted.find((one) => (one.qos as number) >= REFUSED)
    if (refused) throw new BrokerRefusal(fault('mqtt_subscription_refused', { topic: refused.topic }))
  }

  /** The parser of the library collects a message of up to 256 MB. */
  #limitMessages(): void {
    let bytes = 0
    this.#client.on('packetreceive', () => {
      bytes = 0
    })
    this.#client.stream.on('data', (part: Buffer) => {
      bytes += part.length
      if (bytes > MESSAGE_BYTES_MAX)
        this.#fail(new MessageTooLarge(fault('mqtt_message_too_large', { limit: MESSAGE_BYTES_MAX / 1_048_576 })))
    })
  }
}

/** @throws BrokerRefusal */
function trusted(caFile: string | undefined): ReturnType<typeof authorities> {
  try {
    return authorities(caFile)
  } catch (error) {
    throw new BrokerRefusal(fault('mqtt_ca_file', { file: String(caFile), reason: fileErrorFault(error) }))
  }
}

/** The broker ends the elder of two clients with one name: agents and collectors need different ones. */
const clientIdOf = (name: string, pkiDir: string): string =>
  `haltless-${createHash('sha256')
    .update(JSON.stringify([hostname(), pkiDir, name]))
    .digest('hex')
    .slice(0, 12)}`
