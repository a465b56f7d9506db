import { ModbusRegister } from '@haltless/protocol'
import { describe, expect, test } from 'vitest'
import { createDecoder, notFiniteFault, registerCount, settingFault } from './decode.ts'

type Settings = Partial<ModbusRegister>
const register = (settings: Settings) =>
  ModbusRegister.parse({ address: 0, metric_name: 'm', unit: 'u', ...settings } satisfies Partial<ModbusRegister>)
const decode = (settings: Settings, hex: string, at = 0) =>
  createDecoder(register(settings))(Buffer.from(hex.replaceAll(' ', ''), 'hex'), at)

// Worked by hand: 0x42F6E666 is 123.45 as a single, 0x12345678 is 305,419,896, 0x405EDD2F1A9FBE77 is 123.456 as a double,
// 0x001FFFFFFFFFFFFF is 2^53 - 1
test.each<[Settings, string, number]>([
  [{ data_type: 'uint16' }, 'fffe', 65_534],
  [{ data_type: 'uint16', byte_order: 'CDAB' }, '0102', 258],
  [{ data_type: 'uint16', byte_order: 'BADC' }, '0102', 513],
  [{ data_type: 'uint16', byte_order: 'DCBA' }, '0102', 513],
  [{ data_type: 'int16' }, 'fffe', -2],
  [{ data_type: 'int16' }, '8000', -32_768],
  [{ data_type: 'int16', byte_order: 'BADC' }, 'feff', -2],
  [{ data_type: 'bool' }, '0000', 0],
  [{ data_type: 'bool' }, '0100', 1],
  [{ data_type: 'uint32' }, '1234 5678', 305_419_896],
  [{ data_type: 'uint32', byte_order: 'CDAB' }, '5678 1234', 305_419_896],
  [{ data_type: 'uint32', byte_order: 'BADC' }, '3412 7856', 305_419_896],
  [{ data_type: 'uint32', byte_order: 'DCBA' }, '7856 3412', 305_419_896],
  [{ data_type: 'uint32' }, 'ffff ffff', 4_294_967_295],
  [{ data_type: 'uint32', byte_order: 'CDAB' }, 'ffff ffff', 4_294_967_295],
  [{ data_type: 'int32' }, 'ffff fffe', -2],
  [{ data_type: 'int32', byte_order: 'CDAB' }, 'fffe ffff', -2],
  [{ data_type: 'int32', byte_order: 'BADC' }, '0080 0000', -2_147_483_648],
  [{ data_type: 'int32', byte_order: 'DCBA' }, 'feff ffff', -2],
  [{ data_type: 'float32' }, '42f6 e666', Math.fround(123.45)],
  [{ data_type: 'float32', byte_order: 'CDAB' }, 'e666 42f6', Math.fround(123.45)],
  [{ data_type: 'float32', byte_order: 'BADC' }, 'f642 66e6', Math.fround(123.45)],
  [{ data_type: 'float32', byte_order: 'DCBA' }, '66e6 f642', Math.fround(123.45)],
  [{ data_type: 'float64' }, '405e dd2f 1a9f be77', 123.456],
  [{ data_type: 'float64', byte_order: 'CDAB' }, 'be77 1a9f dd2f 405e', 123.456],
  [{ data_type: 'float64', byte_order: 'BADC' }, '5e40 2fdd 9f1a 77be', 123.456],
  [{ data_type: 'float64', byte_order: 'DCBA' }, '77be 9f1a 2fdd 5e40', 123.456],
  [{ data_type: 'uint64' }, '0000 0001 0000 0002', 4_294_967_298],
  [{ data_type: 'uint64', byte_order: 'CDAB' }, '0002 0000 0001 0000', 4_294_967_298],
  [{ data_type: 'uint64', byte_order: 'BADC' }, '0000 0100 0000 0200', 4_294_967_298],
  [{ data_type: 'uint64', byte_order: 'DCBA' }, '0200 0000 0100 0000', 4_294_967_298],
  [{ data_type: 'uint64' }, '001f ffff ffff ffff', 9_007_199_254_740_991],
  [{ data_type: 'int64' }, 'ffff ffff ffff fffe', -2],
  [{ data_type: 'int64', byte_order: 'DCBA' }, 'feff ffff ffff ffff', -2],
  [{ data_type: 'int64' }, 'ffe0 0000 0000 0001', -9_007_199_254_740_991],
  [{ data_type: 'uint8_high' }, 'fe01', 254],
  [{ data_type: 'int8_high' }, 'fe01', -2],
  [{ data_type: 'uint8_low' }, 'fe01', 1],
  [{ data_type: 'int8_low' }, '01fe', -2],
  [{ data_type: 'uint8_low', byte_order: 'BADC' }, 'fe01', 254],
  [{ data_type: 'int8_high', byte_order: 'DCBA' }, '01fe', -2],
  [{ data_type: 'bcd16' }, '1234', 1_234],
  [{ data_type: 'bcd16', byte_order: 'BADC' }, '3412', 1_234],
  [{ data_type: 'bcd32' }, '9876 5432', 98_765_432],
  [{ data_type: 'bcd32', byte_order: 'CDAB' }, '5432 9876', 98_765_432],
  [{ data_type: 'bcd32', byte_order: 'BADC' }, '7698 3254', 98_765_432],
  [{ data_type: 'bcd32', byte_order: 'DCBA' }, '3254 7698', 98_765_432],
  [{ data_type: 'bcd16' }, '123a', Number.NaN],
  [{ data_type: 'bcd32' }, 'f234 5678', Number.NaN],
  [{ data_type: 'uint48' }, '0001 0002 0003', 4_295_098_371],
  [{ data_type: 'uint48', byte_order: 'CDAB' }, '0003 0002 0001', 4_295_098_371],
  [{ data_type: 'uint48', byte_order: 'BADC' }, '0100 0200 0300', 4_295_098_371],
  [{ data_type: 'uint48', byte_order: 'DCBA' }, '0300 0200 0100', 4_295_098_371],
  [{ data_type: 'uint48' }, 'ffff ffff ffff', 281_474_976_710_655],
  [{ data_type: 'int48' }, 'ffff ffff fffe', -2],
  [{ data_type: 'int48', byte_order: 'DCBA' }, 'feff ffff ffff', -2],
  [{ data_type: 'string', length: 3 }, '3132 2e35 0000', 12.5],
  [{ data_type: 'string', length: 3, byte_order: 'BADC' }, '3231 352e 2020', 12.5],
  [{ data_type: 'string', length: 2, byte_order: 'CDAB' }, '2d37 2020', -7],
  [{ data_type: 'string', length: 3 }, '3165 3300 3939', 1_000],
  [{ bit: 0 }, '0001', 1],
  [{ bit: 15 }, '8000', 1],
  [{ bit: 14 }, '8000', 0],
  [{ bit: 8, byte_order: 'BADC' }, '0001', 1],
])('%o of %s is %d', (settings, hex, value) => {
  expect(decode(settings, hex)).toBe(value)
})

test('a value is read from the byte where it starts', () => {
  expect(decode({ data_type: 'uint32', byte_order: 'CDAB' }, 'dead 5678 1234', 2)).toBe(305_419_896)
  expect(decode({ data_type: 'string', length: 1 }, '3939 3131', 2)).toBe(11)
})

test('the first coil is the lowest bit of the first byte', () => {
  const coils = Array.from({ length: 10 }, (_, at) => decode({ table: 'coil', data_type: 'uint16' }, 'cd 01', at))
  // Modbus Application Protocol V1.1b3, 6.1: 0xCD is coils 27-20 as 1100 1101
  expect(coils).toEqual([1, 0, 1, 1, 0, 0, 1, 1, 1, 0])
})

describe('what is no number has no finite value', () => {
  test.each<[Settings, string, string]>([
    [{ data_type: 'float32' }, '7fc0 0000', 'the value is not a finite number'],
    [{ data_type: 'float32', byte_order: 'CDAB' }, '0000 7f80', 'the value is not a finite number'],
    [{ data_type: 'float64' }, 'fff0 0000 0000 0000', 'the value is not a finite number'],
    [{ data_type: 'uint64' }, '0020 0000 0000 0000', 'the integer is beyond 2^53 and has no exact value'],
    [{ data_type: 'uint64' }, '0020 0000 0000 0001', 'the integer is beyond 2^53 and has no exact value'],
    [{ data_type: 'uint64' }, 'ffff ffff ffff ffff', 'the integer is beyond 2^53 and has no exact value'],
    [{ data_type: 'int64' }, '8000 0000 0000 0000', 'the integer is beyond 2^53 and has no exact value'],
    [{ data_type: 'string', length: 2 }, '4f4b 0000', 'the text is not a number'],
    [{ data_type: 'string', length: 1 }, '0000', 'the text is not a number'],
    [{ data_type: 'string', length: 4 }, '496e 6669 6e69 7479', 'the text is not a number'],
    [{ data_type: 'string', length: 2 }, '3078 3130', 'the text is not a number'],
  ])('%o of %s', (settings, hex, reason) => {
    expect(Number.isFinite(decode(settings, hex))).toBe(false)
    expect(notFiniteFault(register(settings)).detail).toBe(reason)
  })
})

test('widths in registers', () => {
  expect(registerCount(register({ data_type: 'int64', bit: 3 }))).toBe(1)
  expect(registerCount(register({ data_type: 'float64' }))).toBe(4)
  expect(registerCount(register({ data_type: 'string', length: 10 }))).toBe(10)
})

test('settings that cannot be read are named', () => {
  expect(settingFault(register({ data_type: 'string' }))?.detail).toBe('a string needs its length in registers')
  expect(settingFault(register({ data_type: 'float32', address: 65_535 }))?.detail).toBe(
    'the value reaches beyond register 65535',
  )
  expect(settingFault(register({ data_type: 'float32', address: 65_534 }))).toBeNull()
  expect(settingFault(register({ table: 'coil', data_type: 'float64', address: 65_535 }))).toBeNull()
})
