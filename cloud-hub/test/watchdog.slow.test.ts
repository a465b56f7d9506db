import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, expect, it, onTestFinished } from 'vitest'
import { endAll, keptPort, processesWith, root, run, until } from './processes.ts'

const PRELOADED = 'cloud-hub/test/support/stand-still.ts'

afterEach(endAll)

it('a hub whose event loop stands still ends after a minute, and the next start goes on with its data', async () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'haltless-watchdog-'))
  chmodSync(dir, 0o755)
  onTestFinished(async () => {
    await until('nothing runs on the folder', () => processesWith(dir).length === 0)
    rmSync(dir, { recursive: true, force: true, maxRetries: 5 })
  })
  const port = await keptPort()
  const settings = { HOST: '127.0.0.1', PORT: `${port}`, MQTT_PORT: `${await keptPort()}`, DATA_DIR: path.join(dir, 'hub') }
  const start = async () => {
    // A URL, because Node divides NODE_OPTIONS at the blanks of a path.
    const preload = pathToFileURL(path.join(root, PRELOADED)).href
    const hub = run('cloud-hub/src/main.ts', ['serve'], { ...settings, NODE_OPTIONS: `--import=${preload}` })
    await until('the hub runs', () => {
      if (hub.child.exitCode !== null) throw new Error(`the hub ended: ${hub.err()}`)
      return hub.out().includes('the hub is running')
    })
    return hub
  }
  const call = (route: string, body: object) =>
    fetch(`http://127.0.0.1:${port}/api/v1/${route}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const account = { email: 'ada@example.com', password: 'Correct-horse-7' }

  const hub = await start()
  expect((await call('auth/register', { ...account, full_name: 'Ada', tenant_name: 'Plant' })).status).toBe(201)
  const since = performance.now()
  hub.child.kill('SIGUSR2')
  expect(await hub.ended).toBe('SIGKILL')
  expect(performance.now() - since).toBeGreaterThan(55_000)
  const line = hub
    .err()
    .split('\n')
    .find((each) => each.includes('watchdog'))
  expect(JSON.parse(line ?? 'null')).toMatchObject({ level: 'fatal', unanswered_pings: 12, ping_ms: 5_000 })

  const next = await start()
  expect((await call('auth/login', account)).status).toBe(200)
  expect(await next.end('SIGTERM')).toBe(0)
})
