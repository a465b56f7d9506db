import type { ModbusRegister } from '@haltless/protocol'
import { type Interpretation, interpret, type ModbusSource, type RawAnswer, textIn } from '../collectors/index.ts'
import { alignColumns } from './output.ts'

const ORDERS = ['ABCD', 'CDAB', 'BADC', 'DCBA'] as const

/** What stands in the registers or bits at an address, as every type and byte order, with the likely ones marked. */
export function formatProbe(
  { host, port, config }: ModbusSource,
  { table, address }: { table: ModbusRegister['table']; address: number },
  { data, fault }: RawAnswer,
  why = fault?.detail,
): string {
  const where = `Modbus unit ${config.unit_id} at ${host}:${port}`
  if (data === undefined)
    return `${where}: ${table} ${address}: ${why}${fault.code === 'modbus_illegal_data_address' ? `\n\n${ADDRESS_HINT}` : ''}`
  if (table === 'coil' || table === 'discrete') return `${where}: ${table} ${address} is ${(data[0] as number) & 1}`
  const words = Array.from({ length: data.length / 2 }, (_, i) => data.readUInt16BE(i * 2))
  const hex = words.map((word) => word.toString(16).toUpperCase().padStart(4, '0')).join(' ')
  const last = address + words.length - 1
  const parts = [`${where}: ${table} ${last === address ? address : `${address} to ${last}`}: ${hex}`]
  const found = interpret(data)
  const rows = found.map(({ dataType, values }) => [
    dataType,
    ...ORDERS.map((order) => cell(values.find(({ byteOrder }) => byteOrder === order))),
  ])
  parts.push(alignColumns([['', ...ORDERS], ...rows]))
  parts.push(
    `bits of ${address}, 15 to 0: ${(words[0] as number)
      .toString(2)
      .padStart(16, '0')
      .replace(/(.{4})(?=.)/g, '$1 ')}`,
  )
  const text = textIn(data)
  if (text !== null) parts.push(`as text: ${text}`)
  parts.push(hint(found, table, address))
  return parts.join('\n\n')
}

const ADDRESS_HINT =
  'Addresses count from 0 in each table. Of a manual, 1 is coil 0, 10001 discrete 0, 30001 input 0 and 40001 holding 0: choose with --table.'

const cell = (value: Interpretation['values'][number] | undefined): string =>
  value === undefined ? '' : `${shortNumber(value.value)}${value.isLikely ? ' *' : ''}`

function shortNumber(value: number): string {
  if (!Number.isFinite(value)) return '-'
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return String(value)
  const size = Math.abs(value)
  return size >= 1e15 ? value.toExponential(6) : String(Number(value.toPrecision(7)))
}

/** Floats come first: registers rarely make one of usual size by accident, but two of 32 bits often look like one of 64. */
const PREFERENCE = ['float32', 'float64', 'int16', 'uint16', 'int32', 'uint32', 'int64', 'uint64']
/** Two floats hardly make a decimal number as short as this. */
const SHORT_DIGITS = 8

function hint(found: readonly Interpretation[], table: string, address: number): string {
  const likely = found.flatMap(({ dataType, values }) =>
    values.filter(({ isLikely }) => isLikely).map((value) => ({ dataType, ...value })),
  )
  const rank = ({ dataType, value }: (typeof likely)[number]) =>
    dataType === 'float64' && Number(value.toPrecision(SHORT_DIGITS)) === value ? -1 : PREFERENCE.indexOf(dataType)
  const [first] = likely.sort((a, b) => rank(a) - rank(b))
  if (!first)
    return 'Nothing marks one of them as a measured value. Probe again when the machine runs, or look at the neighbouring addresses.'
  const { dataType, byteOrder } = first
  const entry = `- { table: ${table}, address: ${address}, data_type: ${dataType}, byte_order: ${byteOrder}, metric_name: ..., unit: ... }`
  return `* has the size of a measured value. Compare it with a display of the machine, then add to registers:\n\n  ${entry}`
}
