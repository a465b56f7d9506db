import type { Socket } from 'node:net'
import { type Fault, fault } from '@haltless/protocol'
import { type Deadline, deadline } from '../../support/deadline.ts'
import { errorFault } from '../../support/error-message.ts'
import { ConnectionLost, InvalidResponse, ModbusException, ResponseTimeout } from './errors.ts'
import { answerMismatch, type ReadRequest } from './request.ts'

/** Transaction id, protocol id (0), length of what follows, unit id. Source: Modbus Messaging on TCP/IP V1.0b, 3.1.3 */
const HEADER_BYTES = 7
/** Bytes that the length field counts: unit id and a PDU of 253 at most; the shortest answer is an exception of 2. */
const MIN_LENGTH = 3
const MAX_LENGTH = 254
/** Unanswered transaction ids stay reserved, so that a late answer matches no other request. */
const MAX_FORGOTTEN = 1_000
const MAX_REFRESHES = 2

interface Transaction {
  request: ReadRequest
  sentAt: number
  timeout: Deadline
  /** answers with an unknown id since this request was sent */
  strayAnswers: number
  resolve(data: Buffer): void
  reject(error: Error): void
}

/**
 * One Modbus TCP connection to a server or gateway, until it closes; it never reconnects (`Gateway` does).
 *
 * We wrote our own client because modbus-serial 8 times out forever after two answers in one packet and passes a late answer to
 * the next request. It also accepts an answer of another unit or length as a value. This client finds the request by transaction
 * id; the answer must then have the requested unit, function and byte count. Anything that is no Modbus frame ends the
 * connection, because no later frame boundary is reliable (TCP has a checksum, Modbus TCP has none). Sources: Modbus Application
 * Protocol V1.1b3, Modbus Messaging on TCP/IP V1.0b.
 */
export class Connection {
  readonly #socket: Socket
  readonly #waiting = new Map<number, Transaction>()
  readonly #forgotten = new Set<number>()
  readonly #onClose: (lost: ConnectionLost) => void
  #rest: Buffer | null = null
  #lastId = 0
  #answers = 0
  #silences = 0
  #lost: ConnectionLost | null = null

  /** @param onClose called once, when the connection is of no more use and before its requests are refused */
  constructor(socket: Socket, onClose: (lost: ConnectionLost) => void) {
    this.#socket = socket
    this.#onClose = onClose
    socket.on('data', (chunk: Buffer) => this.#receive(chunk))
    socket.on('error', (error) => this.#end(errorFault(error)))
    socket.on('close', () => this.#end(fault('modbus_device_closed')))
  }

  /** Requests under way. */
  get inFlight(): number {
    return this.#waiting.size
  }

  isWaitingFor(unitId: number): boolean {
    for (const { request } of this.#waiting.values()) if (request.unitId === unitId) return true
    return false
  }

  /** The request under way that was sent last, and when (on `performance.now()`); undefined when there is none. */
  get youngest(): { unitId: number; sentAt: number } | undefined {
    let youngest: Transaction | undefined
    for (const each of this.#waiting.values()) if (!youngest || each.sentAt > youngest.sentAt) youngest = each
    return youngest && { unitId: youngest.request.unitId, sentAt: youngest.sentAt }
  }

  /**
   * @returns the data bytes: exactly as many as `quantity` asks for
   * @throws ModbusException, ResponseTimeout, InvalidResponse, ConnectionLost
   */
  read(request: ReadRequest): Promise<Buffer> {
    if (this.#lost) return Promise.reject(this.#lost)
    const id = this.#nextId()
    const frame = Buffer.allocUnsafe(12)
    frame.writeUInt16BE(id, 0)
    frame.writeUInt16BE(0, 2)
    frame.writeUInt16BE(6, 4)
    frame[6] = request.unitId
    frame[7] = request.functionCode
    frame.writeUInt16BE(request.address, 8)
    frame.writeUInt16BE(request.quantity, 10)
    return new Promise((resolve, reject) => {
      const timeout = deadline(request.timeoutMs, () => this.#giveUp(id))
      this.#waiting.set(id, { request, sentAt: performance.now(), timeout, strayAnswers: 0, resolve, reject })
      this.#socket.write(frame)
    })
  }

  close(reason: Fault): void {
    this.#end(reason)
  }

  #nextId(): number {
    do this.#lastId = (this.#lastId % 65_535) + 1
    while (this.#waiting.has(this.#lastId) || this.#forgotten.has(this.#lastId))
    return this.#lastId
  }

  #receive(chunk: Buffer): void {
    let bytes = this.#rest === null ? chunk : Buffer.concat([this.#rest, chunk])
    this.#rest = null
    while (bytes.length >= HEADER_BYTES && this.#lost === null) {
      const length = bytes.readUInt16BE(4)
      if (bytes.readUInt16BE(2) !== 0 || length < MIN_LENGTH || length > MAX_LENGTH) {
        this.#end(fault('modbus_not_tcp'))
        return
      }
      const end = 6 + length
      if (bytes.length < end) break
      this.#answer(bytes.readUInt16BE(0), bytes.subarray(6, end))
      bytes = bytes.subarray(end)
    }
    if (bytes.length > 0 && this.#lost === null) this.#rest = bytes
  }

  /** @param body unit id, function code, data */
  #answer(id: number, body: Buffer): void {
    this.#silences = 0
    const transaction = this.#waiting.get(id)
    if (!transaction) {
      // Late, duplicate or unsolicited: it belongs to no pending request.
      if (!this.#forgotten.delete(id)) for (const other of this.#waiting.values()) other.strayAnswers++
      return
    }
    this.#waiting.delete(id)
    transaction.timeout.cancel()
    const { request, resolve, reject } = transaction
    const functionCode = body[1] as number
    const mismatch = answerMismatch(request, body)
    if (mismatch !== null) {
      reject(new InvalidResponse(mismatch))
      return
    }
    this.#answers++
    if (functionCode === request.functionCode) resolve(body.subarray(3))
    else reject(new ModbusException(body[2] as number))
  }

  #giveUp(id: number): void {
    const transaction = this.#waiting.get(id)
    if (!transaction) return
    this.#waiting.delete(id)
    this.#forgotten.add(id)
    const { unitId, timeoutMs } = transaction.request
    // On a serial line the requests behind this one were not sent to their units yet: their time begins now. After two silences in a
    // row the gateway itself may hang, and their time is not extended again.
    const isRefreshed = this.#silences < MAX_REFRESHES
    for (const { sentAt, timeout } of this.#waiting.values()) if (isRefreshed && sentAt > transaction.sentAt) timeout.restart()
    if (this.#rest !== null) {
      // The next answer would be read as the rest of this one.
      transaction.reject(new InvalidResponse(fault('modbus_partial_answer', { unit: unitId })))
      this.#end(fault('modbus_cut_answer'))
      return
    }
    transaction.reject(
      transaction.strayAnswers > 0
        ? new InvalidResponse(fault('modbus_stray_answers', { unit: unitId }))
        : new ResponseTimeout(fault('modbus_no_answer', { unit: unitId, limit: timeoutMs })),
    )
    // A device that lost its power, or a firewall that forgot the connection, leaves it open and silent for ever
    if (++this.#silences >= 2 && this.#waiting.size === 0) this.#end(fault('modbus_silent'))
    else if (this.#forgotten.size > MAX_FORGOTTEN) this.#end(fault('modbus_unanswered_requests'))
  }

  #end(reason: Fault): void {
    if (this.#lost) return
    const lost = new ConnectionLost(reason, 0, this.#answers > 0)
    this.#lost = lost
    this.#socket.destroy()
    this.#onClose(lost)
    for (const { timeout, reject } of this.#waiting.values()) {
      timeout.cancel()
      reject(lost)
    }
    this.#waiting.clear()
  }
}
