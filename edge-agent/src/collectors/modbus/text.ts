import type { ModbusRegister } from '@haltless/protocol'

/** Whether a register entry is read as a text. A bit table and a `bit` are read as 0 or 1, whatever their data type says. */
export const isText = ({ table, data_type, bit }: ModbusRegister): boolean =>
  data_type === 'string' && bit === undefined && table !== 'coil' && table !== 'discrete'

/** The text in the registers of an answer, up to its first NUL. BADC and DCBA swap the two characters of each register. */
export function textAt(data: Buffer, at: number, { length = 0, byte_order }: ModbusRegister): string {
  const bytes = Buffer.from(data.subarray(at, at + length * 2))
  if (byte_order === 'BADC' || byte_order === 'DCBA') bytes.swap16()
  const end = bytes.indexOf(0)
  return bytes.toString('latin1', 0, end < 0 ? bytes.length : end)
}
