import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { Secret } from '@haltless/edge-agent/secret'
import { describe, expect, it } from 'vitest'
import { patchSource, readPatches } from './patch-source.ts'
import { openPools } from './pools.ts'

const series = readPatches(path.resolve(import.meta.dirname, '../../patches/postgres'))
const FILES = ['src/bytes.js', 'src/connection.js', 'src/index.js']
const read = (file: string) =>
  readFileSync(fileURLToPath(import.meta.resolve(`postgres`)).replace(/index\.js$/, path.basename(file)), 'utf8')

describe('the driver patches', () => {
  it('apply to the installed driver and name no file without a checksum', () => {
    for (const file of FILES) expect(patchSource(series, { file, version: '3.4.9', source: read(file) })).not.toBe(read(file))
    const named = series.patches.flatMap(({ diffs }) => diffs.map((diff) => diff.newFileName))
    expect([...new Set(named)].toSorted()).toEqual(FILES.map((file) => `b/${file}`))
    expect(Object.keys(series.sha256)).toEqual(FILES)
  })

  it('leave a source alone that is patched already, because two hooks load it', () => {
    for (const file of FILES) {
      const source = patchSource(series, { file, version: '3.4.9', source: read(file) })
      expect(patchSource(series, { file, version: '3.4.9', source })).toBe(source)
    }
  })

  it('state symptom, upstream issue, and the test that proves each of them, by a title that exists', () => {
    const top = path.resolve(import.meta.dirname, '../../..')
    for (const { name } of series.patches) {
      const [header = ''] = readFileSync(path.join(top, 'cloud-hub/patches/postgres', name), 'utf8').split('\n---')
      expect(header, name).toMatch(/^\S.{0,90}\n\nSymptom: .+\nUpstream: .+\nProved by: .+/s)
      const [, file = '', titles = ''] = /\nProved by: (\S+?\.test\.ts)(.*)$/s.exec(header) as RegExpExecArray
      const tests = readFileSync(path.join(top, file), 'utf8')
      for (const [, title = ''] of titles.replace(/\n +/g, ' ').matchAll(/"(.+?)"/g)) expect(tests, name).toContain(`'${title}'`)
    }
  })

  it('refuse a source that differs in one line next to a change', () => {
    const source = read('src/index.js').replace('    subscribe,\n', '    subscribe, // a context line\n')
    expect(() => patchSource(series, { file: 'src/index.js', version: '3.4.9', source })).toThrow(
      'the patch 10-pool-load.patch does not apply to src/index.js of postgres 3.4.9',
    )
  })

  it('refuse a source that differs where no patch is', () => {
    const source = `${read('src/index.js')}\n`
    expect(() => patchSource(series, { file: 'src/index.js', version: '3.4.9', source })).toThrow(
      /^src\/index\.js of postgres 3\.4\.9 has the checksum [0-9a-f]{64} after patching, not [0-9a-f]{64}$/,
    )
  })

  it('refuse another version of the driver', () => {
    expect(() => patchSource(series, { file: 'src/index.js', version: '3.5.0', source: read('src/index.js') })).toThrow(
      'postgres 3.5.0 is installed, but the patches are for 3.4.9',
    )
  })
})

it('the pools do not open on a driver without the patches', () => {
  const login = { url: new Secret('postgres://localhost/none') }
  const logins = { haltless_app: login, haltless_ingest: login, haltless_system: login }
  expect(() => openPools(logins)).toThrow('the PostgreSQL driver is not patched')
})
