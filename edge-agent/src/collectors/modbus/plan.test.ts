import { fault, ModbusRegister } from '@haltless/protocol'
import { expect, test } from 'vitest'
import { type Block, bisect, planReads } from './plan.ts'

const at = (address: number, more: Partial<ModbusRegister> = {}) =>
  ModbusRegister.parse({ address, metric_name: `m${address}`, unit: 'u', ...more })
const gap = (max_gap: number) => ({ max_gap, max_registers: 125, max_coils: 2_000 })
const shape = (blocks: Block[]) =>
  blocks.map((block) => [block.functionCode, block.address, block.quantity, block.items.map((item) => item.index)])

test('neighbours share a request, in any order of the configuration', () => {
  expect(shape(planReads([at(12), at(10), at(11)], gap(0)).blocks)).toEqual([[3, 10, 3, [1, 2, 0]]])
})

test('a gap of max_gap is read along, a wider one is not', () => {
  expect(shape(planReads([at(0), at(9)], gap(8)).blocks)).toEqual([[3, 0, 10, [0, 1]]])
  expect(shape(planReads([at(0), at(10)], gap(8)).blocks)).toEqual([
    [3, 0, 1, [0]],
    [3, 10, 1, [1]],
  ])
})

test('no request exceeds 125 registers, and no value is cut in two', () => {
  const words = Array.from({ length: 124 }, (_, address) => at(address))
  expect(shape(planReads([...words, at(124)], gap(8)).blocks).map(([, , quantity]) => quantity)).toEqual([125])
  expect(
    shape(planReads([...words, at(124, { data_type: 'float32' })], gap(8)).blocks).map(([, first, n]) => [first, n]),
  ).toEqual([
    [0, 124],
    [124, 2],
  ])
})

test('no request exceeds 2,000 bits; a gap counts 16 bits a register', () => {
  const coils = Array.from({ length: 2_001 }, (_, address) => at(address, { table: 'coil' }))
  expect(planReads(coils, gap(8)).blocks.map((block) => block.quantity)).toEqual([2_000, 1])
  const far = [at(0, { table: 'discrete' }), at(129, { table: 'discrete' })]
  expect(planReads(far, gap(8)).blocks.map((block) => block.quantity)).toEqual([130])
  expect(planReads(far, gap(7)).blocks).toHaveLength(2)
})

test('no request exceeds the registers and coils that the device allows', () => {
  const limits = { max_gap: 8, max_registers: 10, max_coils: 16 }
  const words = Array.from({ length: 25 }, (_, address) => at(address))
  expect(planReads(words, limits).blocks.map((block) => block.quantity)).toEqual([10, 10, 5])
  const coils = Array.from({ length: 17 }, (_, address) => at(address, { table: 'coil' }))
  expect(planReads(coils, limits).blocks.map((block) => block.quantity)).toEqual([16, 1])
  expect(planReads([at(0, { data_type: 'float64' })], { ...limits, max_registers: 3 }).faults).toEqual([
    { index: 0, fault: fault('modbus_too_many_registers', { count: 4, limit: 3 }) },
  ])
})

test('tables never share a request', () => {
  const tables = (['holding', 'input', 'coil', 'discrete'] as const).map((table) => at(5, { table }))
  expect(planReads(tables, gap(8)).blocks.map((block) => block.functionCode)).toEqual([3, 4, 1, 2])
})

test('overlapping values are read once', () => {
  const registers = [at(0, { data_type: 'float64' }), at(1), at(0, { bit: 3 }), at(3, { data_type: 'uint32' })]
  expect(shape(planReads(registers, gap(0)).blocks)).toEqual([[3, 0, 5, [2, 0, 1, 3]]])
})

test('an entry that cannot be read by its settings is told, its neighbours are planned', () => {
  const { blocks, faults } = planReads([at(0), at(1, { data_type: 'string' }), at(65_535, { data_type: 'int32' })], gap(8))
  expect(blocks).toHaveLength(1)
  expect(faults.map((fault) => fault.index)).toEqual([1, 2])
})

test('a refused block is divided at its widest gap, else in the middle', () => {
  const [gapped] = planReads([at(0), at(1), at(2), at(8), at(10)], gap(8)).blocks as [Block]
  expect(shape(bisect(gapped))).toEqual([
    [3, 0, 3, [0, 1, 2]],
    [3, 8, 3, [3, 4]],
  ])
  const [dense] = planReads([at(0), at(1), at(2), at(3)], gap(8)).blocks as [Block]
  expect(shape(bisect(dense)).map(([, first]) => first)).toEqual([0, 2])
})
