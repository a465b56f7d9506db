import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { applyMutant, MUTANTS, PROMISES, pathOf } from '../faults/mutants/table.ts'
import { allRows } from '../faults/rows.ts'
import { root } from './processes.ts'

const sourceOf = (mutant: (typeof MUTANTS)[number]) => readFileSync(path.join(root, pathOf(mutant)), 'utf8')

describe('npm run faults -- mutants', () => {
  it.each(MUTANTS.map((mutant) => [mutant.name, mutant] as const))(
    'the mutant applies to the sources of today: %s',
    (_, mutant) => {
      const source = sourceOf(mutant)
      expect(applyMutant(mutant, source)).not.toBe(source)
      expect(allRows.map(({ name }) => name)).toContain(mutant.row)
    },
  )

  it('every promise has a mutant', () => {
    expect(new Set(MUTANTS.map(({ promise }) => String(promise)))).toEqual(new Set(Object.keys(PROMISES)))
  })

  it('a source that has changed fails loudly, naming mutant and file', () => {
    const [mutant] = MUTANTS as [(typeof MUTANTS)[number]]
    expect(() => applyMutant(mutant, '')).toThrow(
      `"${mutant.name}" no longer applies: what it replaces is 0 times in ${pathOf(mutant)}`,
    )
    expect(() => applyMutant(mutant, mutant.from + mutant.from)).toThrow('2 times')
  })
})
