import type { Socket } from 'node:net'
import { type Fault, fault } from '@haltless/protocol'
import { type Deadline, deadline } from '../../support/deadline.ts'
import { errorFault } from '../../support/error-message.ts'
import { ConnectionLost, InvalidResponse, ModbusException, ResponseTimeout } from './errors.ts'
import { answerMismatch, dataBytes, type ReadRequest } from './request.ts'

const CRC_BYTES = 2
/** Unit id, function code, exception code and checksum. */
const EXCEPTION_BYTES = 5
/** Two frames of the greatest size (256 bytes) and noise: what holds no answer by then never will. */
const MAX_UNREAD_BYTES = 1_024

interface Pending {
  /** what was sent: an adapter of a serial line may send it back */
  frame: Buffer
  request: ReadRequest
  sentAt: number
  timeout: Deadline
  resolve(data: Buffer): void
  reject(error: Error): void
}

/**
 * One connection to a serial server that passes Modbus RTU frames on, until it closes; it never reconnects (`Gateway` does).
 *
 * A frame has no transaction id, so there is one request at a time. Its answer is the first frame of the requested unit, function
 * and length with a right checksum; other bytes are skipped, because serial lines have noise and late answers of other units.
 * A request without an answer ends the connection, so that its late answer cannot be taken for the next one.
 * Source: Modbus over Serial Line V1.02, 2.5.1
 */
export class RtuConnection {
  readonly #socket: Socket
  readonly #onClose: (lost: ConnectionLost) => void
  #pending: Pending | null = null
  #unread: Buffer = Buffer.alloc(0)
  #answers = 0
  #lost: ConnectionLost | null = null

  /** @param onClose called once, when the connection is of no more use and before its request is refused */
  constructor(socket: Socket, onClose: (lost: ConnectionLost) => void) {
    this.#socket = socket
    this.#onClose = onClose
    socket.on('data', (chunk: Buffer) => this.#receive(chunk))
    socket.on('error', (error) => this.#end(errorFault(error)))
    socket.on('close', () => this.#end(fault('modbus_device_closed')))
  }

  /** Requests under way: one at most. */
  get inFlight(): number {
    return this.#pending ? 1 : 0
  }

  isWaitingFor(unitId: number): boolean {
    return this.#pending?.request.unitId === unitId
  }

  /** The request under way, and when it was sent (on `performance.now()`); undefined when there is none. */
  get youngest(): { unitId: number; sentAt: number } | undefined {
    return this.#pending ? { unitId: this.#pending.request.unitId, sentAt: this.#pending.sentAt } : undefined
  }

  /**
   * @returns the data bytes: exactly as many as `quantity` asks for
   * @throws ModbusException, ResponseTimeout, InvalidResponse, ConnectionLost; Error while another request is under way
   */
  read(request: ReadRequest): Promise<Buffer> {
    if (this.#lost) return Promise.reject(this.#lost)
    if (this.#pending) return Promise.reject(new Error('a request is under way on this connection'))
    const frame = Buffer.allocUnsafe(8)
    frame[0] = request.unitId
    frame[1] = request.functionCode
    frame.writeUInt16BE(request.address, 2)
    frame.writeUInt16BE(request.quantity, 4)
    frame.writeUInt16LE(crc16(frame.subarray(0, 6)), 6)
    this.#unread = Buffer.alloc(0)
    return new Promise((resolve, reject) => {
      const timeout = deadline(request.timeoutMs, () => this.#giveUp())
      this.#pending = { frame, request, sentAt: performance.now(), timeout, resolve, reject }
      this.#socket.write(frame)
    })
  }

  close(reason: Fault): void {
    this.#end(reason)
  }

  #receive(chunk: Buffer): void {
    const pending = this.#pending
    if (!pending) return
    this.#unread = Buffer.concat([this.#unread, chunk])
    const { frame, request, timeout, resolve, reject } = pending
    const body = answerIn(this.#unread, request, frame)
    if (body === null) {
      if (this.#unread.length > MAX_UNREAD_BYTES) this.#end(fault('modbus_not_rtu'))
      return
    }
    timeout.cancel()
    this.#pending = null
    this.#answers++
    if (body[1] === request.functionCode) resolve(body.subarray(3))
    else reject(new ModbusException(body[2] as number))
  }

  #giveUp(): void {
    const pending = this.#pending
    if (!pending) return
    this.#pending = null
    const { unitId, timeoutMs } = pending.request
    const mismatch = mismatchOf(this.#unread, pending.request)
    // Refused first: for the request this is a timeout, not a lost connection.
    pending.reject(
      mismatch === null
        ? new ResponseTimeout(fault('modbus_no_answer', { unit: unitId, limit: timeoutMs }))
        : new InvalidResponse(mismatch),
    )
    this.#end(fault('modbus_late_answer'), true)
  }

  /** @param isOwn the agent ends it: no reason to wait before the next connection */
  #end(reason: Fault, isOwn = false): void {
    if (this.#lost) return
    const lost = new ConnectionLost(reason, 0, isOwn || this.#answers > 0)
    this.#lost = lost
    this.#socket.destroy()
    this.#onClose(lost)
    this.#pending?.timeout.cancel()
    this.#pending?.reject(lost)
    this.#pending = null
  }
}

/** @returns unit id, function code and data of the first frame that answers the request; null while there is none */
function answerIn(bytes: Buffer, request: ReadRequest, sent: Buffer): Buffer | null {
  const { unitId, answersAs, functionCode } = request
  const length = dataBytes(request) + 3 + CRC_BYTES
  for (let at = 0; at + EXCEPTION_BYTES <= bytes.length; at++) {
    if (bytes[at] !== unitId && bytes[at] !== answersAs) continue
    if (sent.equals(bytes.subarray(at, at + sent.length))) {
      at += sent.length - 1
      continue
    }
    const isException = bytes[at + 1] === (functionCode | 0x80)
    const frame = bytes.subarray(at, at + (isException ? EXCEPTION_BYTES : length))
    if (!isException && frame.length < length) continue
    if (answerMismatch(request, frame.subarray(0, -CRC_BYTES)) === null && hasRightCrc(frame))
      return frame.subarray(0, -CRC_BYTES)
  }
  return null
}

/** What was wrong with the bytes that came instead of an answer; null when none came. */
function mismatchOf(bytes: Buffer, request: ReadRequest): Fault | null {
  if (bytes.length === 0) return null
  const body = bytes.subarray(0, -CRC_BYTES)
  if (bytes.length >= EXCEPTION_BYTES && hasRightCrc(bytes)) return answerMismatch(request, body)
  const expected = dataBytes(request) + 3 + CRC_BYTES
  return bytes.length < expected
    ? fault('modbus_short_answer', { unit: request.unitId, got: bytes.length, expected })
    : fault('modbus_checksum', { unit: request.unitId })
}

const hasRightCrc = (frame: Buffer): boolean =>
  crc16(frame.subarray(0, -CRC_BYTES)) === frame.readUInt16LE(frame.length - CRC_BYTES)

/** CRC-16 with the polynomial 0xA001 (reflected 0x8005), from 0xFFFF. Source: Modbus over Serial Line V1.02, 6.2.2 */
export function crc16(bytes: Buffer): number {
  let crc = 0xffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xa001 : crc >>> 1
  }
  return crc
}
