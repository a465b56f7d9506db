import path from 'node:path'
import { expect, it } from 'vitest'
import { importStartedPrograms, namedSources } from './started-programs.ts'

const root = path.resolve(import.meta.dirname, '..')
const id = path.join(root, 'cloud-hub/test/example.test.ts')

it('a source file is found by its name from the root and from the folder of the module', () => {
  const code = `run('edge-agent/src/main.ts'); fork(new URL("../src/main.ts", import.meta.url))`
  expect(namedSources(code, id)).toEqual(['edge-agent/src/main.ts', 'cloud-hub/src/main.ts'].map((file) => path.join(root, file)))
})

it('names of missing files, folders and other text add no import', () => {
  expect(namedSources(`read('no/such.ts', 'cloud-hub/src', 'a.md')`, id)).toEqual([])
  expect(importStartedPrograms.transform(`read('a.md')`, id)).toBeUndefined()
})

it('the added import is in a function that nothing calls', async () => {
  const code = importStartedPrograms.transform(`globalThis.count = 1 // of 'edge-agent/src/main.ts'`, id)?.code
  expect(code).toBe(
    `globalThis.count = 1 // of 'edge-agent/src/main.ts'\n;() => import(${JSON.stringify(path.join(root, 'edge-agent/src/main.ts'))})`,
  )
})
