import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { loadConfig } from './config.ts'
import { containsSecret, exposedSecretWarnings, isExposed, restrictSecretFiles } from './secrets.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'config secrets-'))
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true })
})

function file(mode: number, text = '', name = 'agent.yaml'): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  chmodSync(path, mode)
  return path
}
const modeOf = (path: string) => statSync(path).mode & 0o777

it('a key or password is a secret, wherever it stands; the name of an environment variable is none', () => {
  expect(containsSecret({ hub: { url: 'x', api_key: 'hk_1' } })).toBe(true)
  expect(containsSecret({ collectors: [{ name: 'a' }, { name: 'b', password: 7 }] })).toBe(true)
  expect(containsSecret({ hub: { api_key: `$\{KEY}` }, collectors: [{ username: 'u', password: null }] })).toBe(false)
  expect(containsSecret({ hub: { api_key: `hk_$\{KEY}` } })).toBe(true)
})

it('a configuration names each of its files that holds a secret', () => {
  file(
    0o600,
    'protocol: modbus\nname: a\nmachine_identifier: m\nhost: h\nregisters: [{ address: 1, metric_name: x, unit: y }]',
    'a.yaml',
  )
  const nodes = 'nodes: [{ node_id: ns=1;s=x, metric_name: x, unit: z }]'
  const login = 'security_mode: SignAndEncrypt\nsecurity_policy: Basic256Sha256\nusername: u\npassword: p'
  const opcua = file(0o600, `protocol: opcua\nname: b\nmachine_identifier: m\nhost: h\n${login}\n${nodes}`, 'b.yaml')
  const hub = 'hub: { url: "https://hub.example.com" }\ncollectors: [{ file: a.yaml }, { file: b.yaml }]'
  const { secretFiles } = loadConfig(file(0o600, hub), { HALTLESS_API_KEY: 'hk_1' })
  expect(secretFiles).toEqual([opcua])
})

describe.skipIf(process.platform === 'win32')('a file with secrets that others may read', () => {
  it.each([0o644, 0o640, 0o604, 0o620])('is named with its mode (%o) and the command that mends it', (mode) => {
    const path = file(mode)
    expect(exposedSecretWarnings([path])).toEqual([
      `${path} holds secrets, and other users may read it (mode 0${mode.toString(8)}); run: chmod 600 '${path}'`,
    ])
  })

  it('is made readable for its owner only when that is who runs the agent', () => {
    const path = file(0o644)
    expect(restrictSecretFiles([path])).toEqual([])
    expect(modeOf(path)).toBe(0o600)
  })

  it('is left alone, with a warning, when it belongs to somebody else', () => {
    const path = file(0o644)
    const { uid } = statSync(path)
    vi.spyOn(process as { getuid(): number }, 'getuid').mockReturnValue(uid + 1)
    expect(restrictSecretFiles([path])).toEqual([expect.stringContaining('other users may read it')])
    expect(modeOf(path)).toBe(0o644)
  })

  it('is no matter where only its owner may read it, or it is gone', () => {
    expect(exposedSecretWarnings([file(0o600), join(folder, 'gone.yaml')])).toEqual([])
  })
})

it('settings of root that only the group of the agent may read are not exposed', () => {
  const agent = { uid: 990, gid: 991 }
  const exposed = (mode: number, uid: number, gid: number, own = agent) => isExposed({ mode: 0o100_000 | mode, uid, gid }, own)
  expect(exposed(0o640, 0, 991)).toBe(false)
  expect(exposed(0o660, 0, 991)).toBe(true)
  expect(exposed(0o644, 0, 991)).toBe(true)
  expect(exposed(0o640, 0, 992)).toBe(true)
  expect(exposed(0o640, 990, 991)).toBe(true)
  expect(exposed(0o640, 0, 0, { uid: 0, gid: 0 })).toBe(true)
})
