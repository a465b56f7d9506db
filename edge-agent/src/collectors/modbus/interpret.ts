import { BYTE_ORDERS, ModbusRegister } from '@haltless/protocol'
import { createDecoder, registerCount } from './decode.ts'

type DataType = ModbusRegister['data_type']
type ByteOrder = ModbusRegister['byte_order']

/** What the registers at an address mean as one data type, in each byte order that makes a difference. */
export interface Interpretation {
  dataType: DataType
  values: { byteOrder: ByteOrder; value: number; isLikely: boolean }[]
}

const NUMBERS = ['int16', 'uint16', 'int32', 'uint32', 'float32', 'int64', 'uint64', 'float64'] as const

/**
 * All numeric types and byte orders of the registers at an address. A value is likely where its size is usual for a measured one and, for an integer of 32 bits
 * or more, both halves are in use: else the registers are more likely values of their own. A hint, no proof.
 * @param data register bytes as received
 */
export function interpret(data: Buffer): Interpretation[] {
  return NUMBERS.flatMap((dataType) => {
    const words = registerCount(ModbusRegister.parse({ address: 0, data_type: dataType, metric_name: 'm', unit: 'u' }))
    if (data.length < words * 2) return []
    const orders = words === 1 ? (['ABCD', 'BADC'] as const) : BYTE_ORDERS
    const values = orders.map((byteOrder) => {
      const register = ModbusRegister.parse({
        address: 0,
        data_type: dataType,
        byte_order: byteOrder,
        metric_name: 'm',
        unit: 'u',
      })
      const value = createDecoder(register)(data, 0)
      return { byteOrder, value, isLikely: isLikely(dataType, byteOrder, value, data.subarray(0, words * 2)) }
    })
    return [{ dataType, values }]
  })
}

/** Measured values are mostly between these sizes. */
const SMALLEST = 1e-3
const LARGEST_FLOAT = 1e6
const LARGEST_INTEGER = 1e7

function isLikely(dataType: DataType, byteOrder: ByteOrder, value: number, data: Buffer): boolean {
  if (!Number.isFinite(value) || data.every((byte) => byte === 0) || data.every((byte) => byte === 0xff)) return false
  const size = Math.abs(value)
  if (dataType.startsWith('float')) return size >= SMALLEST && size <= LARGEST_FLOAT
  if (data.length === 2) return byteOrder === 'ABCD' && size <= 32_767
  return size > 65_535 && size <= LARGEST_INTEGER
}

/** The text in the registers, when all of it is printable; null otherwise. */
export function textIn(data: Buffer): string | null {
  const end = data.indexOf(0)
  const text = data.toString('latin1', 0, end < 0 ? data.length : end).trim()
  return text.length >= 3 && /^[ -~]+$/.test(text) ? text : null
}
