import type { ModbusMachine, ModbusTag } from './machines.ts'
import type { ModbusImage } from './modbus-server.ts'

/** Writes a machine's values into registers as its tags say; a value outside a register's range stays at its end, as in a real device. */
export function modbusImage({ tags }: ModbusMachine, read: (metric: string) => number): ModbusImage {
  const image = { coil: new Map(), discrete: new Map(), holding: new Map(), input: new Map() } satisfies Record<
    string,
    Map<number, number>
  >
  for (const tag of tags) {
    registers(tag, read(tag.metric) / tag.scale).forEach((register, index) => {
      image[tag.table].set(tag.address + index, register)
    })
  }
  return image
}

function registers({ dataType, byteOrder }: ModbusTag, raw: number): number[] {
  const whole = Math.round(raw)
  const bytes = Buffer.alloc(4)
  switch (dataType) {
    case 'bool':
      return [raw === 0 ? 0 : 1]
    case 'uint16':
      return [clamp(whole, 0, 0xffff)]
    case 'int16':
      return [clamp(whole, -0x8000, 0x7fff) & 0xffff]
    case 'uint32':
      bytes.writeUInt32BE(clamp(whole, 0, 0xffffffff))
      break
    case 'float32':
      bytes.writeFloatBE(raw)
      break
  }
  const words = [bytes.readUInt16BE(0), bytes.readUInt16BE(2)]
  return byteOrder === 'ABCD' ? words : words.reverse()
}

const clamp = (value: number, low: number, high: number) => Math.min(high, Math.max(low, value))
