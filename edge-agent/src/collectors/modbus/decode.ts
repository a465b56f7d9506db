import { type Fault, fault, type ModbusRegister } from '@haltless/protocol'
import { fromBcd } from '../bcd.ts'
import { numberIn } from '../values-in-text.ts'
import { textAt } from './text.ts'

type ByteOrder = ModbusRegister['byte_order']

/**
 * Reads one raw value, before scale and offset, out of an answer's data bytes.
 * @param data register bytes as received, or packed coils
 * @param at the value's first byte; for coils and discrete inputs its first bit
 * @returns NaN or an infinity when what stands there is no finite number, or an integer that a double cannot hold: bad quality
 */
export type Decoder = (data: Buffer, at: number) => number

/** Registers that a value takes; 0 when its settings contradict each other (see `settingFault`). */
export function registerCount(register: ModbusRegister): number {
  if (register.bit !== undefined) return 1
  switch (register.data_type) {
    case 'bool':
    case 'int8_low':
    case 'uint8_low':
    case 'int8_high':
    case 'uint8_high':
    case 'int16':
    case 'uint16':
    case 'bcd16':
      return 1
    case 'int32':
    case 'uint32':
    case 'float32':
    case 'bcd32':
      return 2
    case 'int48':
    case 'uint48':
      return 3
    case 'int64':
    case 'uint64':
    case 'float64':
      return 4
    case 'string':
      return register.length ?? 0
  }
}

export const isBitTable = (table: ModbusRegister['table']): boolean => table === 'coil' || table === 'discrete'

/** What makes a register unreadable by its settings alone; null when nothing does. */
export function settingFault(register: ModbusRegister, maxRegisters = 125): Fault | null {
  if (isBitTable(register.table)) return null
  const words = registerCount(register)
  if (words === 0) return fault('modbus_text_without_length')
  if (register.address + words > 65_536) return fault('modbus_beyond_last_register')
  if (words > maxRegisters) return fault('modbus_too_many_registers', { count: words, limit: maxRegisters })
  return null
}

/** Why a decoded value is not finite, for the status. */
export function notFiniteFault(register: ModbusRegister): Fault {
  switch (register.data_type) {
    case 'int64':
    case 'uint64':
      return fault('integer_too_large')
    case 'bcd16':
    case 'bcd32':
      return fault('modbus_no_bcd')
    case 'string':
      return fault('modbus_text_is_no_number')
    default:
      return fault('value_not_finite')
  }
}

/**
 * The decoder of one register entry. Byte orders name the bytes A (most significant) to D of a 32-bit value in the order in which
 * they arrive. Longer and shorter values follow the same two questions, are the words swapped, are the bytes within a word swapped:
 *
 * | order | words | bytes in a word | 16 bits | 32 bits | 48 bits | 64 bits |
 * |---|---|---|---|---|---|---|
 * | ABCD | high first | high first | AB | ABCD | ABCDEF | ABCDEFGH |
 * | CDAB | low first | high first | AB | CDAB | EFCDAB | GHEFCDAB |
 * | BADC | high first | low first | BA | BADC | BADCFE | BADCFEHG |
 * | DCBA | low first | low first | BA | DCBA | FEDCBA | HGFEDCBA |
 *
 * Strings keep the order of their registers always; BADC and DCBA swap the two characters of each. `bit` counts from the least
 * significant bit of the register after that swap, and an 8-bit type is its high or low byte after it. Coils and discrete inputs are 0 or 1 whatever their data type says.
 * Source: Modbus Application Protocol V1.1b3, 4.2 (a register is sent high byte first), 6.1 (the first coil is the lowest bit);
 * everything wider than 16 bits is the vendor's choice.
 */
export function createDecoder(register: ModbusRegister): Decoder {
  if (isBitTable(register.table)) return (data, at) => ((data[at >> 3] as number) >> (at & 7)) & 1
  const order = register.byte_order
  const word = order === 'ABCD' || order === 'CDAB' ? beWord : leWord
  const { bit } = register
  if (bit !== undefined) return (data, at) => (word(data, at) >> bit) & 1
  switch (register.data_type) {
    case 'bool':
      return (data, at) => (word(data, at) === 0 ? 0 : 1)
    case 'uint16':
      return word
    case 'int16':
      return (data, at) => (word(data, at) << 16) >> 16
    case 'uint8_low':
      return (data, at) => word(data, at) & 0xff
    case 'int8_low':
      return (data, at) => (word(data, at) << 24) >> 24
    case 'uint8_high':
      return (data, at) => word(data, at) >> 8
    case 'int8_high':
      return (data, at) => (word(data, at) << 16) >> 24
    case 'bcd16':
      return (data, at) => fromBcd(word(data, at), 4)
    case 'bcd32': {
      const dword = dwordOf(order)
      return (data, at) => fromBcd(dword(data, at), 8)
    }
    case 'uint48':
    case 'int48':
      return int48Of(order, register.data_type === 'int48')
    case 'uint32':
      return dwordOf(order)
    case 'int32': {
      const dword = dwordOf(order)
      return (data, at) => dword(data, at) | 0
    }
    case 'float32':
      return float32Of(order)
    case 'float64':
      return float64Of(order)
    case 'uint64':
    case 'int64':
      return int64Of(order, register.data_type === 'int64')
    case 'string':
      return textNumberOf(register)
  }
}

const beWord: Decoder = (data, at) => ((data[at] as number) << 8) | (data[at + 1] as number)
const leWord: Decoder = (data, at) => ((data[at + 1] as number) << 8) | (data[at] as number)

/** Unsigned 32 bits in any order. */
function dwordOf(order: ByteOrder): Decoder {
  switch (order) {
    case 'ABCD':
      return (data, at) => data.readUInt32BE(at)
    case 'DCBA':
      return (data, at) => data.readUInt32LE(at)
    case 'CDAB':
      return (data, at) => beWord(data, at + 2) * 65_536 + beWord(data, at)
    case 'BADC':
      return (data, at) => leWord(data, at) * 65_536 + leWord(data, at + 2)
  }
}

const scratch = new DataView(new ArrayBuffer(8))

function float32Of(order: ByteOrder): Decoder {
  if (order === 'ABCD') return (data, at) => data.readFloatBE(at)
  if (order === 'DCBA') return (data, at) => data.readFloatLE(at)
  const dword = dwordOf(order)
  return (data, at) => {
    scratch.setUint32(0, dword(data, at))
    return scratch.getFloat32(0)
  }
}

/** The two halves of a 64-bit value: where each starts, in bytes. Low words first means the low half first. */
const halvesOf = (order: ByteOrder) => (order === 'ABCD' || order === 'BADC' ? { high: 0, low: 4 } : { high: 4, low: 0 })

function float64Of(order: ByteOrder): Decoder {
  if (order === 'ABCD') return (data, at) => data.readDoubleBE(at)
  if (order === 'DCBA') return (data, at) => data.readDoubleLE(at)
  const dword = dwordOf(order)
  const { high, low } = halvesOf(order)
  return (data, at) => {
    scratch.setUint32(0, dword(data, at + high))
    scratch.setUint32(4, dword(data, at + low))
    return scratch.getFloat64(0)
  }
}

function int48Of(order: ByteOrder, signed: boolean): Decoder {
  const word = order === 'ABCD' || order === 'CDAB' ? beWord : leWord
  const [high, low] = order === 'ABCD' || order === 'BADC' ? [0, 4] : [4, 0]
  return (data, at) => {
    const top = word(data, at + high)
    return (signed ? (top << 16) >> 16 : top) * 4_294_967_296 + word(data, at + 2) * 65_536 + word(data, at + low)
  }
}

function int64Of(order: ByteOrder, signed: boolean): Decoder {
  const dword = dwordOf(order)
  const { high, low } = halvesOf(order)
  return (data, at) => {
    const top = dword(data, at + high)
    // A sum beyond 2^53 may be rounded, but never back into the safe range: the check below cannot be fooled
    const value = (signed ? top | 0 : top) * 4_294_967_296 + dword(data, at + low)
    return Number.isSafeInteger(value) ? value : Number.NaN
  }
}

const textNumberOf =
  (register: ModbusRegister): Decoder =>
  (data, at) => {
    const value = numberIn(textAt(data, at, register))
    return typeof value === 'number' ? value : Number.NaN
  }
