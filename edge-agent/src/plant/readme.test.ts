import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { plantMachines } from './machines.ts'

it('the register that the README probes is one of the simulated plant', () => {
  const readme = readFileSync(path.resolve(import.meta.dirname, '../../../README.md'), 'utf8')
  const [, address, unit] = /`probe 127\.0\.0\.1:5020 (\d+) --unit (\d+)`/.exec(readme) ?? []
  const machine = plantMachines.find((it) => it.protocol === 'modbus_tcp' && it.unitId === Number(unit))
  const tags = machine?.protocol === 'modbus_tcp' ? machine.tags : []
  expect(tags.find((tag) => tag.table === 'holding' && tag.address === Number(address))?.metric).toMatch(/temperature/)
})
