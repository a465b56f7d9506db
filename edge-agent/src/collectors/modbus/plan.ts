import type { Fault, ModbusRegister } from '@haltless/protocol'
import { createDecoder, type Decoder, isBitTable, registerCount, settingFault } from './decode.ts'

/** How much one request may read. The protocol allows 125 registers and 2,000 bits. Source: Modbus Application Protocol V1.1b3, 6.1-6.4 */
export interface ReadLimits {
  max_gap: number
  max_registers: number
  max_coils: number
}

export type FunctionCode = 1 | 2 | 3 | 4
export const FUNCTION_CODES: Record<ModbusRegister['table'], FunctionCode> = { coil: 1, discrete: 2, holding: 3, input: 4 }

export const isOfBits = (functionCode: FunctionCode): boolean => functionCode <= 2

/** One wanted value within a block. */
interface Item {
  /** place of its entry in the configuration */
  readonly index: number
  /** first register or bit, and how many */
  readonly address: number
  readonly quantity: number
  readonly decode: Decoder
}

/** One read request: neighbouring items, in order of their addresses. */
export interface Block {
  readonly functionCode: FunctionCode
  /** zero-based */
  readonly address: number
  /** registers or bits */
  readonly quantity: number
  readonly items: readonly Item[]
}

export interface Plan {
  blocks: Block[]
  /** entries that cannot be read by their settings alone */
  faults: { index: number; fault: Fault }[]
}

/**
 * The fewest requests, in ascending order of addresses, that read all registers. Neighbours share a request within the protocol's
 * limits, and when no gap between them exceeds `max_gap` registers (16 times as many bits).
 * @param allowed registers of a request by the settings: a value that takes more cannot be read. `limits` may be lower, as learned.
 */
export function planReads(registers: readonly ModbusRegister[], limits: ReadLimits, allowed = limits.max_registers): Plan {
  const plan: Plan = { blocks: [], faults: [] }
  const wanted = new Map<FunctionCode, Item[]>()
  for (const [index, register] of registers.entries()) {
    const found = settingFault(register, allowed)
    if (found !== null) {
      plan.faults.push({ index, fault: found })
      continue
    }
    const quantity = isBitTable(register.table) ? 1 : registerCount(register)
    const functionCode = FUNCTION_CODES[register.table]
    const items = wanted.get(functionCode) ?? []
    wanted.set(functionCode, items)
    items.push({ index, address: register.address, quantity, decode: createDecoder(register) })
  }
  for (const [functionCode, items] of wanted) {
    items.sort((a, b) => a.address - b.address || a.quantity - b.quantity)
    plan.blocks.push(...coalesce(functionCode, items, limits))
  }
  return plan
}

/** @param items in ascending order of addresses */
function coalesce(functionCode: FunctionCode, items: readonly Item[], limits: ReadLimits): Block[] {
  const [limit, gap] = isOfBits(functionCode) ? [limits.max_coils, limits.max_gap * 16] : [limits.max_registers, limits.max_gap]
  const runs: Item[][] = []
  let run: Item[] = []
  let start = 0
  let end = 0
  for (const item of items) {
    const itemEnd = item.address + item.quantity
    if (run.length > 0 && item.address - end <= gap && Math.max(end, itemEnd) - start <= limit) {
      run.push(item)
      end = Math.max(end, itemEnd)
    } else {
      run = [item]
      runs.push(run)
      start = item.address
      end = itemEnd
    }
  }
  return runs.map((each) => blockOf(functionCode, each))
}

/** @returns the block in requests within the limits, in order of their addresses */
export const splitBlock = ({ functionCode, items }: Block, limits: ReadLimits): Block[] => coalesce(functionCode, items, limits)

/** The smallest request of a block. */
export const firstOf = ({ functionCode, items }: Block): Block => blockOf(functionCode, items.slice(0, 1))

/** Whether the block reads addresses that no item wants. */
export function hasGap({ items }: Block): boolean {
  let end = (items[0] as Item).address
  return items.some((item) => {
    const isBehindGap = item.address > end
    end = Math.max(end, item.address + item.quantity)
    return isBehindGap
  })
}

function blockOf(functionCode: FunctionCode, items: readonly Item[]): Block {
  const address = (items[0] as Item).address
  const end = items.reduce((furthest, item) => Math.max(furthest, item.address + item.quantity), 0)
  return { functionCode, address, quantity: end - address, items }
}

/**
 * Splits a block that the device refuses at its widest gap, which the device most likely lacks, or else in the middle. Only for
 * blocks of two items or more.
 */
export function bisect(block: Block): [Block, Block] {
  const { items } = block
  let cut = items.length >> 1
  let widest = 0
  let end = 0
  items.forEach((item, i) => {
    if (i > 0 && item.address - end > widest) {
      widest = item.address - end
      cut = i
    }
    end = Math.max(end, item.address + item.quantity)
  })
  return [blockOf(block.functionCode, items.slice(0, cut)), blockOf(block.functionCode, items.slice(cut))]
}
