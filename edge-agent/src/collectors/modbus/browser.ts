import type { SourceBrowseAnswer } from '@haltless/protocol'
import type { DeviceBrowser, ModbusSource } from '../collector.ts'
import { interpret, textIn } from './interpret.ts'
import { readOnce } from './read-once.ts'

/** What a register holds: the four words from its address on, read as every type in every byte order, or one bit. */
export const registerBrowser: DeviceBrowser<ModbusSource> = {
  missing: ({ address }) =>
    address === undefined ? { field: 'address', message: 'is required: the register of a Modbus device, zero-based' } : null,

  async browse(source, { table, address = 0 }, _visitMax, deps, signal): Promise<Partial<SourceBrowseAnswer>> {
    const isBit = table === 'coil' || table === 'discrete'
    const quantity = isBit ? 1 : Math.min(4, 65_536 - address)
    const { data, fault } = await readOnce(source, { table, address, quantity }, deps, signal)
    if (data === undefined) return { error: fault.detail, error_fault: fault }
    if (isBit) return { registers: { address, words: [(data[0] as number) & 1], values: [], text: null } }
    const words = Array.from({ length: data.length / 2 }, (_, i) => data.readUInt16BE(i * 2))
    const values = interpret(data).flatMap(({ dataType, values }) =>
      values.map(({ byteOrder, value, isLikely }) => ({
        data_type: dataType,
        byte_order: byteOrder,
        value: Number.isFinite(value) ? value : null,
        is_likely: isLikely,
      })),
    )
    return { registers: { address, words, values, text: textIn(data) } }
  },
}
