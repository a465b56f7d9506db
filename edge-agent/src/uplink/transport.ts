import type { ReadingBatch, Receipt } from '@haltless/protocol'
import type { HoldReason } from './authorization.ts'

export type TransportKind = 'mqtt' | 'websocket' | 'http'

/** What became of one attempt. Only `receipt` lets anything go. */
export type SendOutcome =
  | { kind: 'receipt'; receipt: Receipt }
  /** nothing came back in time, or the connection went: stored or not, it is sent again */
  | { kind: 'silent'; why: string }
  /** the hub asks for patience */
  | { kind: 'busy'; waitMs: number | null; why: string }
  /** the hub refuses this agent as a whole */
  | { kind: 'held'; reason: HoldReason; why: string }

/** What is published on the topic `readings`; the receipt names its id. */
export interface MqttMessage {
  batchId: string
  /** readings */
  count: number
  encode(): Uint8Array
}

/** A batch, for any transport. */
export interface BatchMessage extends MqttMessage {
  columns(): ReadingBatch
}

/** One way to the hub, open from the moment it exists until it is closed or breaks. */
export interface Transport {
  readonly kind: TransportKind
  /** why it broke; null while it is open */
  readonly brokenBy: string | null
  /** Sends one batch and waits for the hub's answer. Never rejects. */
  send(batch: BatchMessage, timeoutMs: number): Promise<SendOutcome>
  /** Ends the transport; attempts under way become `silent`. */
  close(): Promise<void>
}

/** A way to the hub that could not be opened. */
export class TransportError extends Error {
  override readonly name = 'TransportError'
  /** the broker did not accept the password: a new one is needed */
  readonly isCredential: boolean

  constructor(message: string, isCredential = false) {
    super(message)
    this.isCredential = isCredential
  }
}
