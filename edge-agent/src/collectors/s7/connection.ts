import type { Socket } from 'node:net'
import { type Fault, fault } from '@haltless/protocol'
import { type Deadline, deadline } from '../../support/deadline.ts'
import { errorFault } from '../../support/error-message.ts'
import { FaultError } from '../../support/fault-error.ts'
import type { ProbeDeps, S7Source } from '../collector.ts'
import { dial } from '../dial.ts'
import {
  ANSWER_HEADER,
  type Answer,
  COTP,
  connectRequest,
  FUNCTION,
  NOT_PERMITTED,
  PACKET_HEADER,
  PDU_LEAST,
  PDU_TYPE,
  PDU_WANTED,
  parseAnswer,
  parseRead,
  type RangeAnswer,
  readRequest,
  requestRefusal,
  setupRequest,
} from './frames.ts'
import type { AddressRange } from './plan.ts'

/** The connection is of no use any more; a new one may be. */
export class ConnectionLost extends FaultError {
  override readonly name = 'ConnectionLost'
}

/** The PLC answered, and not what was asked; the next request may be answered well. */
export class RequestFailed extends FaultError {
  override readonly name = 'RequestFailed'
  /** it would refuse each part of the request too */
  readonly isAboutAll: boolean

  constructor(found: Fault, isAboutAll = false) {
    super(found)
    this.isAboutAll = isAboutAll
  }
}

const NO_S7 = fault('s7_not_s7')
const CLOSED_EARLY = fault('s7_closed_early')
/** A packet header, a COTP header of the largest length, and the PDU that was asked for. */
const PACKET_MAX = PACKET_HEADER + 256 + PDU_WANTED

/** What the connection waits for. */
interface Waiting {
  /** of a PDU; null: the confirmation of the connection */
  reference: number | null
  timeout: Deadline
  resolve(answer: Answer | null): void
  reject(error: ConnectionLost): void
}

/**
 * One connection to a PLC, from connect to close; a lost one is replaced. One request is under way at a time. Whatever is no answer to it ends
 * the connection, because TCP has a checksum and S7 has none.
 */
export class S7Connection {
  readonly #socket: Socket
  readonly #timeoutMs: number
  #waiting: Waiting | null = null
  #rest: Buffer = Buffer.alloc(0)
  /** parts of a PDU that comes in several packets */
  #parts: Buffer = Buffer.alloc(0)
  #reference = 0
  #lost: ConnectionLost | null = null
  #pduBytes = PDU_LEAST
  #isConnected = false

  private constructor(socket: Socket, timeoutMs: number) {
    this.#socket = socket
    this.#timeoutMs = timeoutMs
    socket.on('data', (chunk: Buffer) => this.#receive(chunk))
    socket.on('error', (error) => this.#end(errorFault(error)))
    socket.on('close', () => this.#end(this.#isConnected ? fault('s7_closed') : CLOSED_EARLY))
  }

  /** @throws ConnectionLost, also when `signal` aborts */
  static async open(
    { host, port, config }: S7Source,
    { resolveHost }: Pick<ProbeDeps, 'resolveHost'>,
    signal: AbortSignal,
  ): Promise<S7Connection> {
    const { rack, slot, timeout_ms: timeoutMs } = config
    let socket: Socket
    try {
      socket = await dial((await resolveHost?.(host, port)) ?? host, port, timeoutMs, signal)
    } catch (error) {
      throw new ConnectionLost(errorFault(error))
    }
    const connection = new S7Connection(socket, timeoutMs)
    signal.addEventListener('abort', () => connection.close(), { once: true })
    await connection.#exchange(null, connectRequest(rack, slot), fault('s7_no_answer'))
    const reference = connection.#nextReference()
    const answer = await connection.#exchange(reference, setupRequest(reference), fault('s7_no_answer'))
    connection.#setUp(answer)
    return connection
  }

  /** The largest request and answer that the PLC grants. */
  get pduBytes(): number {
    return this.#pduBytes
  }

  /**
   * @param ranges as many as request and answer hold
   * @returns what is said of each range, in order
   * @throws ConnectionLost, RequestFailed
   */
  async read(ranges: readonly AddressRange[]): Promise<RangeAnswer[]> {
    const reference = this.#nextReference()
    const answer = await this.#exchange(reference, readRequest(reference, ranges), fault('s7_silent'))
    if (answer && answer.error !== 0) throw new RequestFailed(requestRefusal(answer.error), answer.error === NOT_PERMITTED)
    const answers = answer && parseRead(answer, ranges)
    if (!answers) throw new RequestFailed(fault('s7_contradiction'))
    return answers
  }

  close(): void {
    this.#end(fault('closed_by_agent'))
  }

  #setUp(answer: Answer | null): void {
    const { parameters, error } = answer ?? { parameters: Buffer.alloc(0), error: 0 }
    if (error !== 0) this.#end(requestRefusal(error))
    else if (parameters.length !== 8 || parameters[0] !== FUNCTION.setup) this.#end(NO_S7)
    else {
      const granted = parameters.readUInt16BE(6)
      if (granted < PDU_LEAST || granted > PDU_WANTED) this.#end(fault('s7_pdu_size', { bytes: granted }))
      this.#pduBytes = granted
      this.#isConnected = true
    }
    if (this.#lost) throw this.#lost
  }

  #nextReference(): number {
    this.#reference = (this.#reference % 65_535) + 1
    return this.#reference
  }

  #exchange(reference: number | null, frame: Buffer, late: Fault): Promise<Answer | null> {
    if (this.#lost) return Promise.reject(this.#lost)
    return new Promise((resolve, reject) => {
      this.#waiting = { reference, timeout: deadline(this.#timeoutMs, () => this.#end(late)), resolve, reject }
      this.#socket.write(frame)
    })
  }

  #receive(chunk: Buffer): void {
    let bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    while (bytes.length >= PACKET_HEADER && this.#lost === null) {
      const length = bytes.readUInt16BE(2)
      const isPacket = bytes[0] === 3 && length >= PACKET_HEADER + 3 && length <= PACKET_MAX
      if (isPacket && bytes.length < length) break
      const broken = isPacket ? this.#packet(bytes.subarray(PACKET_HEADER, length)) : NO_S7
      if (broken !== null) this.#end(broken)
      bytes = bytes.subarray(length)
    }
    this.#rest = Buffer.from(bytes)
  }

  /** @returns why the connection is of no use any more; null: it goes on */
  #packet(cotp: Buffer): Fault | null {
    const headerBytes = cotp.readUInt8(0) + 1
    if (headerBytes < 3 || headerBytes > cotp.length) return NO_S7
    const type = cotp.readUInt8(1) & 0xf0
    if (type === COTP.disconnect || type === COTP.error) return this.#isConnected ? fault('s7_ended') : CLOSED_EARLY
    if (type === COTP.connectConfirm && this.#waiting?.reference === null) {
      this.#settle(null)
      return null
    }
    if (type !== COTP.data || headerBytes !== 3) return NO_S7
    const pdu = Buffer.concat([this.#parts, cotp.subarray(headerBytes)])
    if (pdu.length > PDU_WANTED) return NO_S7
    const isWhole = (cotp.readUInt8(2) & COTP.endOfUnit) !== 0
    this.#parts = isWhole ? Buffer.alloc(0) : pdu
    return isWhole ? this.#pdu(pdu) : null
  }

  #pdu(pdu: Buffer): Fault | null {
    // Diagnostic messages that another program asked for: not for us.
    if (pdu.length >= ANSWER_HEADER && pdu[1] === PDU_TYPE.userData) return null
    const answer = parseAnswer(pdu)
    if (!answer || answer.reference !== this.#waiting?.reference) return NO_S7
    this.#settle(answer)
    return null
  }

  #settle(answer: Answer | null): void {
    const waiting = this.#waiting
    this.#waiting = null
    waiting?.timeout.cancel()
    waiting?.resolve(answer)
  }

  #end(reason: Fault): void {
    if (this.#lost) return
    this.#lost = new ConnectionLost(reason)
    this.#socket.destroy()
    this.#waiting?.timeout.cancel()
    this.#waiting?.reject(this.#lost)
    this.#waiting = null
  }
}
