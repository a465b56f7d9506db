import { expect, it } from 'vitest'
import { type AppDeps, allRoutes } from './app.ts'
import { loadConfig } from './config.ts'
import { mayCompress } from './support/http/compress.ts'

it('no operation with tokens, keys or secrets is compressed', () => {
  const routes = allRoutes({ config: loadConfig({}) } as AppDeps)
  const compressed = routes.filter(({ spec }) => mayCompress(spec)).map(({ spec }) => `${spec.method} ${spec.path}`)
  expect(compressed).toEqual(expect.arrayContaining(['get /machines', 'get /machines/{machine_id}/readings', 'get /alerts']))
  expect(
    compressed.filter((name) => !name.startsWith('get ') || /\/auth\/|key|token|enrol|credential|password/.test(name)),
  ).toEqual([])
})
