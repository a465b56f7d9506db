import { type Fault, fault } from '@haltless/protocol'
import { AREAS } from './address.ts'
import { type AddressRange, ITEM_REQUEST } from './plan.ts'

/**
 * Frames of ISO-on-TCP: a packet header of 4 bytes, a COTP header, and the PDU. Only connecting and reading can be expressed.
 * Sources: RFC 1006, ISO 8073 (class 0), Wireshark's COTP and S7comm dissectors
 */
export const PACKET_HEADER = 4
export const COTP = { connectConfirm: 0xd0, disconnect: 0x80, data: 0xf0, error: 0x70, endOfUnit: 0x80 } as const
export const PDU_TYPE = { job: 1, ack: 2, ackData: 3, userData: 7 } as const
export const FUNCTION = { setup: 0xf0, read: 0x04 } as const
/** What an S7-1500 grants; others answer with less. */
export const PDU_WANTED = 960
/** Every CPU grants this much. */
export const PDU_LEAST = 112

const PROTOCOL_ID = 0x32
const JOB_HEADER = 10
export const ANSWER_HEADER = 12
const SYNTAX_S7ANY = 0x10
const TRANSPORT = { byte: 0x02, counter: 0x1c, timer: 0x1d } as const
/** Transport sizes of an answer whose length counts bits. */
const IN_BITS = [0x03, 0x04, 0x05]
const ITEM_OK = 0xff

function packet(...parts: Buffer[]): Buffer {
  const body = Buffer.concat([Buffer.alloc(PACKET_HEADER), ...parts])
  body.writeUInt8(3, 0)
  body.writeUInt16BE(body.length, 2)
  return body
}

/** Asks for a connection to the CPU in a rack and slot, as a programming device. */
export const connectRequest = (rack: number, slot: number): Buffer =>
  packet(Buffer.from([17, 0xe0, 0, 0, 0, 1, 0, 0xc0, 1, 10, 0xc1, 2, 1, 0, 0xc2, 2, 1, rack * 32 + slot]))

function job(reference: number, parameters: Buffer): Buffer {
  const header = Buffer.alloc(JOB_HEADER)
  header.writeUInt8(PROTOCOL_ID, 0)
  header.writeUInt8(PDU_TYPE.job, 1)
  header.writeUInt16BE(reference, 4)
  header.writeUInt16BE(parameters.length, 6)
  return packet(Buffer.from([2, COTP.data, COTP.endOfUnit]), header, parameters)
}

/** Negotiates the size of PDUs, with one request at a time. */
export function setupRequest(reference: number): Buffer {
  const parameters = Buffer.from([FUNCTION.setup, 0, 0, 1, 0, 1, 0, 0])
  parameters.writeUInt16BE(PDU_WANTED, 6)
  return job(reference, parameters)
}

export function readRequest(reference: number, ranges: readonly AddressRange[]): Buffer {
  const parameters = Buffer.alloc(2 + ranges.length * ITEM_REQUEST)
  parameters.writeUInt8(FUNCTION.read, 0)
  parameters.writeUInt8(ranges.length, 1)
  for (const [i, { area, block, start, length }] of ranges.entries()) {
    const at = 2 + i * ITEM_REQUEST
    const isCounted = area === AREAS.timers || area === AREAS.counters
    parameters.writeUInt8(0x12, at)
    parameters.writeUInt8(ITEM_REQUEST - 2, at + 1)
    parameters.writeUInt8(SYNTAX_S7ANY, at + 2)
    const transport = area === AREAS.timers ? TRANSPORT.timer : area === AREAS.counters ? TRANSPORT.counter : TRANSPORT.byte
    parameters.writeUInt8(transport, at + 3)
    parameters.writeUInt16BE(isCounted ? length / 2 : length, at + 4)
    parameters.writeUInt16BE(block, at + 6)
    parameters.writeUInt8(area, at + 8)
    parameters.writeUIntBE(isCounted ? start : start * 8, at + 9, 3)
  }
  return job(reference, parameters)
}

/** An acknowledgement of the PLC. */
export interface Answer {
  reference: number
  /** class and code; 0: none */
  error: number
  parameters: Buffer
  data: Buffer
}

/** @returns null for what is no acknowledgement whose lengths fit */
export function parseAnswer(pdu: Buffer): Answer | null {
  if (pdu.length < ANSWER_HEADER || pdu[0] !== PROTOCOL_ID) return null
  if (pdu[1] !== PDU_TYPE.ack && pdu[1] !== PDU_TYPE.ackData) return null
  const parameterEnd = ANSWER_HEADER + pdu.readUInt16BE(6)
  if (parameterEnd + pdu.readUInt16BE(8) !== pdu.length) return null
  return {
    reference: pdu.readUInt16BE(4),
    error: pdu.readUInt16BE(10),
    parameters: pdu.subarray(ANSWER_HEADER, parameterEnd),
    data: pdu.subarray(parameterEnd),
  }
}

/** What an answer says of a range: its bytes, or the code of a refusal. */
export type RangeAnswer = Buffer | number

/**
 * Divides the answer of a read into its ranges. Each length is checked: an answer that contradicts its request anywhere is none.
 * @returns null for such an answer
 */
export function parseRead({ parameters, data }: Answer, ranges: readonly AddressRange[]): RangeAnswer[] | null {
  if (parameters.length !== 2 || parameters[0] !== FUNCTION.read || parameters[1] !== ranges.length) return null
  const answers: RangeAnswer[] = []
  let at = 0
  for (const { length } of ranges) {
    if (at + 4 > data.length) return null
    const [code, transport] = [data.readUInt8(at), data.readUInt8(at + 1)]
    const said = data.readUInt16BE(at + 2)
    at += 4
    // A refused range has no data, whatever its length says: Snap7 says 4.
    if (code !== ITEM_OK) {
      answers.push(code)
      continue
    }
    const bytes = IN_BITS.includes(transport) ? (said + 7) >> 3 : said
    if (bytes !== length || at + bytes > data.length) return null
    answers.push(data.subarray(at, at + bytes))
    // All ranges but the last fill an even number of bytes; some devices fill the last one too.
    at = Math.min(at + bytes + (bytes % 2), data.length)
  }
  return at === data.length ? answers : null
}

/** Why a range was refused. Source: Wireshark's S7comm dissector */
export function refusal(code: number): Fault {
  if (code === 0x03) return fault('s7_access_refused')
  if (code === 0x05) return fault('s7_address_refused')
  if (code === 0x0a) return fault('s7_item_refused')
  return fault('s7_item_code', { code: `0x${code.toString(16).padStart(2, '0')}` })
}

export const NOT_PERMITTED = 0x8104

/** Why a whole request was refused. Source: Wireshark's S7comm dissector */
export function requestRefusal(error: number): Fault {
  if (error === NOT_PERMITTED) return fault('s7_not_permitted')
  if (error === 0x8500) return fault('s7_request_too_long')
  return fault('s7_request_refused', { error: `0x${error.toString(16).padStart(4, '0')}` })
}
