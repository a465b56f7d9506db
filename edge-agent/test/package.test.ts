import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { constants, zstdDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = path.resolve(import.meta.dirname, '../..')
const dir = mkdtempSync(path.join(os.tmpdir(), 'haltless-package-test-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))
const debian = { x64: 'amd64', arm64: 'arm64' }[process.arch as 'x64']
const packaged = (out: string, ...args: string[]) =>
  execFileSync(process.execPath, [path.join(root, 'install/package/main.ts'), '--out', out, '--fast', ...args], {
    env: { ...process.env, SOURCE_DATE_EPOCH: '1790000000' },
    encoding: 'utf8',
  })
const sums = (out: string) => readFileSync(path.join(out, 'SHA256SUMS'), 'utf8')
const missing = ['tar', 'xz'].filter(
  (program) => !(process.env.PATH ?? '').split(':').some((bin) => existsSync(path.join(bin, program))),
)
if (missing.length > 0) console.warn(`the packages of the agent are not tested: ${missing.join(', ')} is missing`)

describe.skipIf(process.platform !== 'linux' || missing.length > 0)('the packages of the agent', () => {
  const [first, second] = [path.join(dir, 'first'), path.join(dir, 'second')]
  const tree = path.join(dir, 'tree')
  let program = ''
  let firstOutput = ''
  beforeAll(() => {
    firstOutput = packaged(first, '--no-updates', '--arch', debian)
    packaged(second, '--no-updates', '--arch', debian)
    const archive = readdirSync(first).find((name) => name.endsWith('.tar.zst')) as string
    execFileSync('mkdir', [tree])
    const plain = zstdDecompressSync(readFileSync(path.join(first, archive)), { params: { [constants.ZSTD_d_windowLogMax]: 27 } })
    execFileSync('tar', ['-x', '-C', tree], { input: plain })
    program = path.join(tree, readdirSync(tree)[0] as string)
  })

  it('are the same bytes when they are built again, as SHA256SUMS says', () => {
    expect(sums(second)).toBe(sums(first))
    for (const line of sums(first).trim().split('\n')) {
      const [sum, name] = line.split('  ') as [string, string]
      expect(
        createHash('sha256')
          .update(readFileSync(path.join(first, name)))
          .digest('hex'),
      ).toBe(sum)
    }
  })

  it('run with their own Node and an empty environment', () => {
    const agent = (...args: string[]) =>
      execFileSync(path.join(program, 'bin/haltless-agent'), args, {
        env: { PATH: '/usr/bin:/bin' },
        encoding: 'utf8',
        stdio: 'pipe',
      })
    expect(agent('--version').trim()).toBe(JSON.parse(readFileSync(path.join(root, 'edge-agent/package.json'), 'utf8')).version)
    expect(() => agent('check', '--config', path.join(dir, 'none.yaml'))).toThrow(/there is no such file/)
    const settings = path.join(root, 'edge-agent/config/modbus.yaml')
    expect(() => agent('check', '--config', settings)).toThrow(/hub/)
  })

  it('name Node and every package in them, and contain their licenses', () => {
    const sbom = JSON.parse(readFileSync(path.join(program, 'sbom.cdx.json'), 'utf8')) as {
      bomFormat: string
      components: { name: string; version: string }[]
    }
    expect(sbom.bomFormat).toBe('CycloneDX')
    const names = sbom.components.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['node', 'better-sqlite3', 'mqtt', 'node-opcua-client', 'zod']))
    expect(names.filter((name) => /vitest|typescript|aedes|haltless|fastify|hono/.test(name))).toEqual([])
    const licenses = readFileSync(path.join(program, 'LICENSES.txt'), 'utf8')
    for (const { name, version } of sbom.components.filter(({ name }) => name !== 'node'))
      expect(licenses).toContain(`${name} ${version} (`)
  })

  it('contain no source, no test and no add-on of another platform', () => {
    const files = readdirSync(program, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    const names = files.map(({ parentPath, name }) => path.relative(program, path.join(parentPath, name)))
    expect(names.filter((name) => name.endsWith('.node') && name !== 'LICENSE.node')).toEqual([
      `app/lib/node_modules/better-sqlite3/prebuilds/linux-${process.arch}.node`,
    ])
    expect(names.filter((name) => /\.(ts|cc?|h|gyp|map)$|test/.test(name))).toEqual([])
  })

  it('are refused for a platform that does not exist', () => {
    expect(() => packaged(path.join(dir, 'none'), '--no-updates', '--arch', 'riscv64')).toThrow(
      /There is no platform riscv64. Platforms: amd64, arm64/,
    )
  })

  it('need a decision about updates, in a sentence that says what follows', () => {
    expect(() => packaged(path.join(dir, 'none'))).toThrow(
      /Name the key of updates: --update-key FILE.pub .*, or --no-updates: then a box with this package never updates itself/,
    )
    const both = ['--no-updates', '--update-key', 'release.key.pub']
    expect(() => packaged(path.join(dir, 'none'), ...both)).toThrow(/--update-key and --no-updates contradict each other/)
    expect(() => packaged(path.join(dir, 'none'), '--update-key', 'none.pub')).toThrow(/none.pub cannot be read/)
    expect(firstOutput).toMatch(/^Without updates: a box with this package never updates itself/)
    expect(existsSync(path.join(program, 'update-key.pem'))).toBe(false)
  })
})
