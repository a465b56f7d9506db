import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import packageJson from '../package.json' with { type: 'json' }
import { NODEW, root, surroundings } from './processes.ts'

/** Programs as `npm run` starts them: in the project's folder, with INIT_CWD naming the folder in which the person stands. */
let folder: string
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'haltless launcher '))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const npmRun = (script: string, args: string[], env: Record<string, string> = {}) =>
  new Promise<{ code: number; out: string; err: string }>((done) => {
    const options = { cwd: root, env: { ...surroundings(), INIT_CWD: folder, ...env } }
    execFile(NODEW, [script, ...args], options, (error, out, err) => done({ code: Number(error?.code ?? 0), out, err }))
  })

describe('every program', () => {
  it.each([
    ['npm start', 'cloud-hub/src/demo/main.ts'],
    ['hub', 'cloud-hub/src/main.ts'],
    ['agent', 'edge-agent/src/main.ts'],
    ['plant', 'edge-agent/src/plant/main.ts'],
    ['faults', 'cloud-hub/faults/main.ts'],
    ['bench', 'cloud-hub/bench/main.ts'],
  ])('%s answers --version', async (_, script) => {
    expect(await npmRun(script, ['--version'])).toEqual({ code: 0, out: `${packageJson.version}\n`, err: '' })
  })

  it('npm start refuses an option that it does not know, and shows its usage', async () => {
    const { code, err } = await npmRun('cloud-hub/src/demo/main.ts', ['--port=1'])
    expect([code, err]).toEqual([1, expect.stringMatching(/^npm start does not know --port=1\.\nUsage: npm start\n/)])
  })
})

it('a checkout before npm ci says in one sentence what to do, on every Node', async () => {
  const checkout = path.join(folder, 'checkout')
  mkdirSync(path.join(checkout, 'install'), { recursive: true })
  const nodew = path.join(checkout, 'install/nodew')
  copyFileSync(NODEW, nodew)
  const started = await new Promise<{ code: unknown; out: string; err: string }>((done) =>
    execFile(nodew, ['cloud-hub/src/demo/main.ts'], { env: surroundings() }, (error, out, err) =>
      done({ code: error?.code, out, err }),
    ),
  )
  expect(started).toEqual({
    code: 1,
    out: '',
    err: `Haltless is not installed yet: run npm ci in ${checkout}, then try again.\n`,
  })
})

describe('file names on a command line', () => {
  it('are relative to the folder in which the person stands', async () => {
    writeFileSync(path.join(folder, 'here.yaml'), 'hub: { url: "http://127.0.0.1:1", api_key: hk_key }\nagent_id: found\n')
    expect((await npmRun('edge-agent/src/main.ts', ['status', '--config', 'here.yaml'])).out).toMatch(
      /^agent +found, not running/,
    )
    writeFileSync(path.join(folder, 'no.backup'), 'not a backup')
    const restore = await npmRun('cloud-hub/src/main.ts', ['restore', 'no.backup'], { DATA_DIR: path.join(folder, 'data') })
    expect(restore.err).toMatch(/^This backup is damaged/)
  })

  it('are relative to the current folder without npm', async () => {
    const options = { cwd: folder, env: { ...surroundings(), INIT_CWD: '/' } }
    const ran = await new Promise<string>((done) =>
      execFile(NODEW, [path.join(root, 'edge-agent/src/main.ts'), 'status', '-c', 'here.yaml'], options, (_, out) => done(out)),
    )
    expect(ran).toMatch(/^agent +found/)
  })
})
