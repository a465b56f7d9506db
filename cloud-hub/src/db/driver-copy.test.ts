import { cpSync, existsSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { driverCopy, readSeries } from './driver-copy.ts'

const top = path.resolve(import.meta.dirname, '../../..')
const patches = path.join(top, 'cloud-hub/patches/postgres')
const scratch = mkdtempSync(path.join(tmpdir(), 'haltless-driver-'))
afterAll(() => rmSync(scratch, { recursive: true }))

/** An installed driver that a test may change, and an empty cache. */
let installed: string
let cache: string
beforeEach(() => {
  const dir = mkdtempSync(path.join(scratch, 'node_modules-'))
  installed = path.join(dir, 'postgres')
  cache = path.join(dir, '.cache')
  cpSync(path.resolve(fileURLToPath(import.meta.resolve('postgres')), '../..'), installed, { recursive: true })
})

const change = (file: string, edit: (text: string) => string) =>
  writeFileSync(path.join(installed, file), edit(readFileSync(path.join(installed, file), 'utf8')))
const textOf = (url: string) => readFileSync(fileURLToPath(url), 'utf8')

describe('the copy of the driver', () => {
  it('is patched, and the next start finds it', async () => {
    const { url, release } = await driverCopy({ installed, cache })
    expect(textOf(url)).not.toBe(readFileSync(path.join(installed, 'src/index.js'), 'utf8'))
    release()
    rmSync(installed, { recursive: true })
    expect((await driverCopy({ installed, cache })).url).toBe(url)
    expect(typeof (await import(url)).default).toBe('function')
  })

  it('is made again when one of its files is damaged', async () => {
    const { url } = await driverCopy({ installed, cache })
    const whole = textOf(url)
    writeFileSync(fileURLToPath(url), '')
    expect(textOf((await driverCopy({ installed, cache })).url)).toBe(whole)
  })

  it('is made again when a power cut left its package.json empty', async () => {
    const { url } = await driverCopy({ installed, cache })
    const file = path.resolve(fileURLToPath(url), '../../package.json')
    writeFileSync(file, '')
    await driverCopy({ installed, cache })
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ type: 'module' })
    expect(readdirSync(cache)).toHaveLength(1)
  })

  it('is one for starts at the same time, and nothing else is left', async () => {
    const copies = await Promise.all(Array.from({ length: 8 }, () => driverCopy({ installed, cache })))
    expect(new Set(copies.map(({ url }) => url)).size).toBe(1)
    expect(readdirSync(cache)).toHaveLength(1)
  })

  it('is readable for other users, because an image is built as root and runs as another', async () => {
    const { url } = await driverCopy({ installed, cache })
    for (const file of [fileURLToPath(url), path.dirname(fileURLToPath(url)), path.resolve(fileURLToPath(url), '../..')])
      expect(statSync(file).mode & 0o444).toBe(0o444 & ~process.umask())
  })

  it('is that of one process where the cache cannot be written', async () => {
    // a file in place of the folder: root could write to a folder without the permission
    const temporary = mkdtempSync(path.join(scratch, 'tmp-'))
    writeFileSync(cache, '')
    const { url, release } = await driverCopy({ installed, cache, temporary })
    expect(typeof (await import(url)).default).toBe('function')
    release()
    expect(readdirSync(temporary)).toEqual([])
    expect(existsSync(fileURLToPath(url))).toBe(false)
  })
})

describe('the driver patches', () => {
  it('state symptom, upstream issue, and the test that proves each of them, by a title that exists', () => {
    for (const name of globSync('*.patch', { cwd: patches })) {
      const [header = ''] = readFileSync(path.join(patches, name), 'utf8').split('\n---')
      expect(header, name).toMatch(/^\S.{0,90}\n\nSymptom: .+\nUpstream: .+\nProved by: .+/s)
      const [, file = '', titles = ''] = /\nProved by: (\S+?\.test\.ts)(.*)$/s.exec(header) as RegExpExecArray
      const tests = readFileSync(path.join(top, file), 'utf8')
      for (const [, title = ''] of titles.replace(/\n +/g, ' ').matchAll(/"(.+?)"/g)) expect(tests, name).toContain(`'${title}'`)
    }
  })

  it('refuse a source that differs in one line next to a change', async () => {
    change('src/index.js', (text) => text.replace('    subscribe,\n', '    subscribe, // a context line\n'))
    await expect(driverCopy({ installed, cache })).rejects.toThrow(
      'the patch 10-pool-load.patch does not apply to src/index.js of postgres 3.4.9',
    )
  })

  it('refuse a source that differs where no patch is', async () => {
    change('src/queue.js', (text) => `${text}\n`)
    await expect(driverCopy({ installed, cache })).rejects.toThrow(
      /^src\/queue\.js of postgres 3\.4\.9 has the checksum [0-9a-f]{64} after patching, not [0-9a-f]{64}$/,
    )
  })

  it('refuse a file that they do not know', async () => {
    writeFileSync(path.join(installed, 'src/new.js'), '')
    await expect(driverCopy({ installed, cache })).rejects.toThrow(/^src\/new\.js of postgres 3\.4\.9 has the checksum/)
  })

  it('refuse another version of the driver', async () => {
    change('package.json', (text) => text.replace(`"version": "${readSeries().version}"`, '"version": "3.5.0"'))
    await expect(driverCopy({ installed, cache })).rejects.toThrow('postgres 3.5.0 is installed, but the patches are for 3.4.9')
  })
})
