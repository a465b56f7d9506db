import { existsSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { allRows } from '../../faults/rows.ts'

it('every row of npm run faults has a test file with its name, and no row has two', () => {
  const filesOf = (name: string) =>
    [`${name}.test.ts`, `${name}.slow.test.ts`].filter((file) => existsSync(path.join(import.meta.dirname, file)))
  expect(allRows.filter(({ name }) => filesOf(name).length !== 1)).toEqual([])
})
