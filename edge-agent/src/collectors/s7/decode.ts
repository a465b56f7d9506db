import { fault } from '@haltless/protocol'
import { fromBcd } from '../bcd.ts'
import { NoNumber } from '../values-in-text.ts'

/**
 * Reads one raw value, before scale and offset.
 * @param data what was read, from the first byte of the value on; at least as long as the value, except that a long text may be cut
 * @returns a text for the types that hold one
 */
export type Decoder = (data: Buffer) => number | string | NoNumber

interface S7Type {
  /** bytes; of a text what stands before its characters */
  length: number
  /** bytes of a character */
  perCharacter: number
  /** what stands behind a point at the end of the address */
  suffix: 'none' | 'bit' | 'characters'
  decoder: (suffix: number) => Decoder
}

const fixed = (length: number, decode: Decoder): S7Type => ({ length, perCharacter: 0, suffix: 'none', decoder: () => decode })
const bit: S7Type = {
  length: 1,
  perCharacter: 0,
  suffix: 'bit',
  decoder: (number) => (data) => ((data[0] as number) >> number) & 1,
}
const text = (length: number, perCharacter: number, decode: (data: Buffer, max: number) => string | NoNumber): S7Type => ({
  length,
  perCharacter,
  suffix: 'characters',
  decoder: (max) => (data) => decode(data, max),
})

const finite = (value: number) => (Number.isFinite(value) ? value : new NoNumber(fault('value_not_finite')))
const exact = (value: bigint) => (Number.isSafeInteger(Number(value)) ? Number(value) : new NoNumber(fault('integer_too_large')))

const uint8 = fixed(1, (data) => data.readUInt8(0))
const int8 = fixed(1, (data) => data.readInt8(0))
const uint16 = fixed(2, (data) => data.readUInt16BE(0))
const int16 = fixed(2, (data) => data.readInt16BE(0))
const uint32 = fixed(4, (data) => data.readUInt32BE(0))
const int32 = fixed(4, (data) => data.readInt32BE(0))
const real = fixed(4, (data) => finite(data.readFloatBE(0)))
const lreal = fixed(8, (data) => finite(data.readDoubleBE(0)))
const uint64 = fixed(8, (data) => exact(data.readBigUInt64BE(0)))
const int64 = fixed(8, (data) => exact(data.readBigInt64BE(0)))
const char = fixed(1, (data) => data.toString('latin1', 0, 1))
const string = text(2, 1, stringOf)
const wstring = text(4, 2, wstringOf)
const s5time = fixed(2, s5timeOf)
const dateAndTime = fixed(8, dateAndTimeOf)

/** Types by the names that an address may use. A TIME, S5TIME or timer is in milliseconds, a DATE_AND_TIME in seconds since 1970. */
export const TYPES = {
  X: bit,
  BOOL: bit,
  BYTE: uint8,
  B: uint8,
  USINT: uint8,
  SINT: int8,
  WORD: uint16,
  W: uint16,
  UINT: uint16,
  INT: int16,
  I: int16,
  DWORD: uint32,
  DW: uint32,
  UDINT: uint32,
  DINT: int32,
  DI: int32,
  REAL: real,
  R: real,
  LREAL: lreal,
  LR: lreal,
  LWORD: uint64,
  ULINT: uint64,
  LINT: int64,
  CHAR: char,
  STRING: string,
  S: string,
  WSTRING: wstring,
  WS: wstring,
  TIME: int32,
  S5TIME: s5time,
  DATE_AND_TIME: dateAndTime,
  DT: dateAndTime,
  COUNTER: fixed(2, counterOf),
} as const satisfies Record<string, S7Type>

/** The largest length that was declared, the present length, one byte for each character. Source: SIMATIC STEP 7, data type STRING */
function stringOf(data: Buffer, max: number): string | NoNumber {
  const [declared, length] = [data.readUInt8(0), data.readUInt8(1)]
  if (length > declared || length > max) return new NoNumber(fault('s7_text_beyond_declaration'))
  return 2 + length > data.length ? new NoNumber(fault('s7_text_beyond_answer')) : data.toString('latin1', 2, 2 + length)
}

/** As a STRING, with two bytes for each length and character. Source: SIMATIC STEP 7, data type WSTRING */
function wstringOf(data: Buffer, max: number): string | NoNumber {
  const [declared, length] = [data.readUInt16BE(0), data.readUInt16BE(2)]
  if (length > declared || length > max) return new NoNumber(fault('s7_text_beyond_declaration'))
  if (4 + 2 * length > data.length) return new NoNumber(fault('s7_text_beyond_answer'))
  return Buffer.from(data.subarray(4, 4 + 2 * length))
    .swap16()
    .toString('utf16le')
}

/** Three decimal digits, and the unit in bits 12 and 13. In milliseconds. Source: SIMATIC STEP 7, data type S5TIME */
function s5timeOf(data: Buffer): number | NoNumber {
  const word = data.readUInt16BE(0)
  const ms = fromBcd(word & 0xfff, 3) * 10 ** (((word >> 12) & 3) + 1)
  return Number.isNaN(ms) ? new NoNumber(fault('s7_no_s5time')) : ms
}

/** Three decimal digits. */
function counterOf(data: Buffer): number | NoNumber {
  const count = fromBcd(data.readUInt16BE(0) & 0xfff, 3)
  return Number.isNaN(count) ? new NoNumber(fault('s7_no_counter')) : count
}

/**
 * Year, month, day, hour, minute, second in two decimal digits each, then three of milliseconds and the day of the week. Years from 90 on are
 * of the last century. The PLC knows no time zone: its clock is read as UTC. Source: SIMATIC STEP 7, data type DATE_AND_TIME
 */
function dateAndTimeOf(data: Buffer): number | NoNumber {
  const [year, month, day, hour, minute, second] = Array.from({ length: 6 }, (_, i) => fromBcd(data.readUInt8(i), 2)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  const ms = fromBcd(data.readUInt16BE(6) >> 4, 3)
  const at = new Date(Date.UTC(year < 90 ? 2000 + year : 1900 + year, month - 1, day, hour, minute, second, ms))
  const isDate = at.getUTCMonth() === month - 1 && at.getUTCDate() === day && hour < 24 && minute < 60 && second < 60
  return isDate ? at.getTime() / 1_000 : new NoNumber(fault('s7_no_date'))
}
