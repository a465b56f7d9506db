import type { MqttClient } from 'mqtt'
import type { Logger } from '../support/logger.ts'

/** Memory for messages that the broker has not acknowledged yet, in bytes. */
const UNACKNOWLEDGED_BYTES = 33_554_432
/** What a message costs beside its payload: its packet, its topic and its place in the client's store. */
const MESSAGE_BYTES = 1_024

/**
 * Publishes without waiting for the acknowledgement. PUBACK arrives on the connection that brings the batches, behind packets that
 * back-pressure withholds until earlier ones are answered. While too many bytes are unacknowledged, it drops messages. Agents send a batch
 * without a receipt again, and their next heartbeat brings directives and sources.
 */
export class Publisher {
  readonly #client: Pick<MqttClient, 'publish'>
  readonly #logger: Logger
  #unacknowledged = 0
  #dropped = 0

  constructor(client: Pick<MqttClient, 'publish'>, logger: Logger) {
    this.#client = client
    this.#logger = logger
  }

  /** In order of the calls, with QoS 1. */
  publish(topic: string, payload: string | Buffer, retain: boolean): void {
    const bytes = Buffer.byteLength(payload) + MESSAGE_BYTES
    if (this.#unacknowledged + bytes > UNACKNOWLEDGED_BYTES) {
      if (this.#dropped++ === 0) this.#logger.warn('the broker acknowledges too slowly; agents get no receipts meanwhile')
      return
    }
    this.#unacknowledged += bytes
    this.#client.publish(topic, payload, { qos: 1, retain }, (error) => {
      this.#unacknowledged -= bytes
      if (error) this.#logger.warn({ err: error }, 'a message to an agent was not delivered')
      if (this.#dropped === 0) return
      this.#logger.info({ dropped: this.#dropped }, 'the broker acknowledges again')
      this.#dropped = 0
    })
  }
}
