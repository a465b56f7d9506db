import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = path.resolve(import.meta.dirname, '..')
const HUB = 'cloud-hub/src/main.ts'
const AGENT = 'edge-agent/src/main.ts'

/** Runs before the program, and prints the packages of all loaded modules at its end. */
const REPORT = `
  import { registerHooks } from 'node:module'
  const packages = new Set()
  registerHooks({
    load(url, context, next) {
      const found = url.match(/.*[/]node_modules[/]((?:@[^/]+[/])?[^/]+)/)
      if (found) packages.add(found[1])
      return next(url, context)
    },
  })
  process.on('exit', () => console.error('packages: ' + [...packages].sort().join(' ')))`

let dir: string
let settings: string
beforeAll(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'haltless-loaded-'))
  settings = path.join(dir, 'agent.yaml')
  const hub = `hub:\n  url: https://hub.example\n  api_key: hk_${'a'.repeat(43)}\n`
  writeFileSync(settings, `agent_id: press-hall\ndata_dir: ${JSON.stringify(path.join(dir, 'data'))}\n${hub}`, { mode: 0o600 })
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

/** The packages that a command of a program loads. */
function packagesOf(program: string, ...args: string[]): { packages: string[]; out: string } {
  const report = `data:text/javascript,${encodeURIComponent(REPORT)}`
  const nodew = path.join(root, 'install/nodew')
  const { stdout, stderr } = spawnSync(nodew, ['--import', report, program, ...args], { cwd: root, encoding: 'utf8' })
  const packages = /^packages: (.*)$/m.exec(stderr)?.[1]?.split(' ')
  if (!packages) throw new Error(`${program} ${args.join(' ')} reported no packages: ${stderr}`)
  return { packages, out: stdout + stderr }
}

describe('the packages that a command loads', () => {
  it.each(['--help', 'tenants --help', 'backup --help'])('hub %s loads no feature', (args) => {
    const { packages, out } = packagesOf(HUB, ...args.split(' '))
    expect(out).toContain('Usage: hub')
    expect(packages).toEqual(['commander'])
  })

  it('a running hub loads no drizzle, and of the driver only the patched copy', () => {
    const { packages } = packagesOf('cloud-hub/src/hub.ts')
    expect(packages).toEqual(expect.arrayContaining(['.cache', 'hono']))
    expect(packages).not.toContain('postgres')
    expect(packages.filter((name) => name.startsWith('drizzle'))).toEqual([])
  })

  it('the help of the agent loads no device library and no validation', () => {
    const { packages, out } = packagesOf(AGENT, '--help')
    expect(out).toMatch(/^Usage: .*main\.ts'? /m)
    expect(packages).toEqual(['commander'])
  })

  it.each(['status', 'tail', 'dead-letters', 'buffer'])(
    'the agent command %s loads no library of a field bus or broker',
    (command) => {
      const { packages, out } = packagesOf(AGENT, command, '--config', settings)
      expect(out).not.toContain('cannot be used')
      expect(packages).toContain('zod')
      for (const heavy of ['node-opcua', 'mqtt', 'pino']) expect(packages).not.toContain(heavy)
    },
  )
})
