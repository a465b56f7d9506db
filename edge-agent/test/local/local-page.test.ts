import { spawnSync } from 'node:child_process'
import { chmodSync, statSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname } from 'node:path'
import { fault } from '@haltless/protocol'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { CollectorDeps } from '../../src/collectors/collector.ts'
import { run } from '../../src/commands/run.ts'
import { formatOverview } from '../../src/commands/watch.ts'
import { askAgent, followAgent } from '../../src/local/local-client.ts'
import { socketFile } from '../../src/local/local-server.ts'
import type { Overview } from '../../src/local/overview.ts'
import { PageAccess } from '../../src/local/page-access.ts'
import { systemClock } from '../../src/support/clock.ts'
import { createLogger } from '../../src/support/logger.ts'
import { Plant } from '../agent-harness.ts'
import { until } from '../collectors/support.ts'

const SERIES = [
  { machine: 'press-01', metric: 'pressure', unit: 'bar', rawTag: 'holding:0' },
  { machine: 'press-01', metric: 'speed', unit: 'rpm', rawTag: 'holding:2' },
]

let plant: Plant
let stop: AbortController
let running: Promise<void>
let collector: CollectorDeps
beforeEach(async () => {
  plant = await Plant.open()
  await start(0)
})
afterEach(async () => {
  await end()
  await plant.end()
})

async function start(port: number): Promise<void> {
  stop = new AbortController()
  const deps = {
    clock: systemClock,
    logger: createLogger('silent'),
    createCollector: (source: { name: string }, given: CollectorDeps) => {
      collector = given
      return { name: source.name, start() {}, stop: async () => {}, status: () => STATUS }
    },
  }
  running = run({ ...plant.config(), localPage: { port } }, deps, stop.signal)
  await expect
    .poll(() =>
      askAgent<Overview>(plant.dataDir, 'GET', '/overview').then(
        ({ agent_id }) => agent_id,
        () => null,
      ),
    )
    .toBe('press-hall')
}
async function end(): Promise<void> {
  stop.abort()
  await running
}

const STATUS = {
  state: 'running' as const,
  detail: '',
  fault: null,
  lastAnswerAt: null,
  lastReadAt: null,
  readingsTotal: 0,
  badValuesTotal: 0,
  badTags: [
    { rawTag: 'holding:9', metric: 'level', reason: 'the device has no such register', fault: fault('no_value'), missedPolls: 3 },
  ],
  missedPolls: { skipped: 0, failed: 0 },
  sourceClock: { aheadMs: 40_000, isUsed: false, isExact: true },
}
const poll = (values: number[], at = Date.now()) =>
  collector.onReadings({
    series: SERIES,
    seriesIndex: Uint32Array.from(values.keys()),
    timestamps: new Float64Array(values.length).fill(at),
    values: Float64Array.from(values),
  })
const overview = () => askAgent<Overview>(plant.dataDir, 'GET', '/overview')
const newLink = async () => new URL((await askAgent<{ url: string }>(plant.dataDir, 'POST', '/link')).url)

interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: string
}
/** A request with exactly these headers, which fetch would not send. */
const call = (base: URL, method: string, path: string, headers: Record<string, string> = {}, body?: string) =>
  new Promise<Answer>((resolve, reject) => {
    const asking = request({ host: '127.0.0.1', port: base.port, method, path, headers }, async (answer) => {
      let text = ''
      for await (const part of answer) text += part
      resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: text })
    })
    asking.once('error', reject)
    asking.end(body)
  })
async function signedIn(): Promise<{ link: URL; cookie: string }> {
  const link = await newLink()
  const { status, headers } = await call(link, 'POST', '/session', {}, link.hash.slice(1))
  expect(status).toBe(204)
  return { link, cookie: String(headers['set-cookie']) }
}

describe('the overview', () => {
  it('shows the newest value of each tag, and why one has none', async () => {
    await poll([6.5, 1480], 1_000)
    await poll([7.25])
    // a reading from before, such as one of the history of a server
    await poll([1], 500)
    const { tags, collectors, buffer } = await overview()
    expect(tags).toMatchObject([
      { metric: 'level', value: null, fault: 'the device has no such register' },
      { metric: 'pressure', machine: 'press-01', unit: 'bar', value: 7.25, fault: null },
      { metric: 'speed', value: 1480 },
    ])
    expect(collectors).toMatchObject([{ name: 'press', state: 'running', tags: 3, bad_tags: 1 }])
    expect(buffer).toMatchObject({ dropped: 0, fault: null, full_in_hours: null })
    const words = formatOverview(await overview(), 40)
    expect(words).toMatch(/press +running .*; its clock is 40 s ahead: the agent dates its readings/)
    expect(words).toMatch(/press-01 +pressure +7\.25 bar +\d s ago +good/)
    expect(formatOverview(await overview(), 5)).not.toContain('more tag')
  })
})

describe('tail', () => {
  it('prints every reading that is collected', async () => {
    const ending = new AbortController()
    const lines: { metric: string; value: number }[] = []
    const following = (async () => {
      for await (const line of followAgent(plant.dataDir, '/readings', ending.signal)) lines.push(JSON.parse(line))
    })()
    let at = Date.now()
    await expect
      .poll(async () => {
        await poll([1, 2], at++)
        return lines.length
      })
      .toBeGreaterThan(0)
    const before = lines.length
    for (let i = 0; i < 500; i++) await poll([i, -i], at++)
    await until('all readings', () => lines.length === before + 1_000)
    expect(lines.at(-1)).toMatchObject({ collector: 'press', machine: 'press-01', metric: 'speed', value: -499, unit: 'rpm' })
    ending.abort()
    await following
  })
})

describe('the page', () => {
  it('opens by a link that works once, and answers to its cookie only', async () => {
    const { link, cookie } = await signedIn()
    expect(cookie).toMatch(/^haltless_[0-9a-f]{8}=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/$/)
    const value = cookie.split(';')[0] as string
    expect((await call(link, 'GET', '/overview')).status).toBe(401)
    expect((await call(link, 'GET', '/overview', { cookie: `${value}x` })).status).toBe(401)
    const answer = await call(link, 'GET', '/overview', { cookie: `other=1; ${value}` })
    expect([answer.status, JSON.parse(answer.body).agent_id]).toEqual([200, 'press-hall'])
    const again = await call(link, 'POST', '/session', {}, link.hash.slice(1))
    expect([again.status, again.body]).toEqual([
      401,
      expect.stringMatching(/For a new one, run on the box: .* page --config '?\/.*agent.yaml/),
    ])
  })

  it('takes a link for a minute', () => {
    let now = 0
    const access = new PageAccess(() => now)
    const [inTime, late] = [access.newLink(), access.newLink()]
    now = 60_000
    expect(access.exchange(inTime)).not.toBeNull()
    now = 60_001
    expect(access.exchange(late)).toBeNull()
    expect(access.exchange('')).toBeNull()
  })

  it.each([
    ['evil.example', 421],
    ['evil.example:8465', 421],
    ['127.0.0.1.evil.example', 421],
    ['10.0.0.1', 421],
    ['localhost:8465', 200],
    ['127.0.0.1:1', 200],
    ['[::1]:8465', 200],
    ['LOCALHOST', 200],
  ])('asked as %s answers %i', async (host, status) => {
    expect((await call(await newLink(), 'GET', '/', { host })).status).toBe(status)
  })

  it.each([
    [{ origin: 'https://evil.example' }, 403],
    [{ origin: 'null' }, 403],
    [{ origin: 'http://localhost:9999' }, 403],
    [{ 'sec-fetch-site': 'cross-site' }, 403],
    [{ 'sec-fetch-site': 'same-site' }, 403],
    [{ origin: 'http://localhost:8465', 'sec-fetch-site': 'same-origin' }, 200],
    [{ 'sec-fetch-site': 'none' }, 200],
  ] as [Record<string, string>, number][])('of a request with %j says %i', async (headers, status) => {
    const { link, cookie } = await signedIn()
    const answer = await call(link, 'GET', '/overview', { host: 'localhost:8465', cookie, ...headers })
    expect(answer.status).toBe(status)
  })

  it('lets no other page read or frame it, and changes nothing', async () => {
    const { link, cookie } = await signedIn()
    for (const path of ['/', '/page.js', '/page.css', '/overview']) {
      const { status, headers } = await call(link, 'GET', path, { cookie })
      expect(status).toBe(200)
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([])
      expect(headers['content-security-policy']).toMatch(/default-src 'none'.*frame-ancestors 'none'/)
    }
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS'])
      expect((await call(link, method, '/overview', { cookie })).status).toBe(405)
    for (const path of ['/link', '/readings', '/page.html', '/../package.json', '/%2e%2e/x'])
      expect((await call(link, 'GET', path, { cookie })).status).toBe(404)
    expect((await call(link, 'POST', '/session', {}, 'x'.repeat(2_000))).status).toBe(413)
  })

  it('takes another port where its own is in use', async () => {
    await end()
    const other = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    const { port } = other.address() as AddressInfo
    await start(port)
    expect(Number((await newLink()).port)).not.toBe(port)
    other.close()
  })
})

describe('the socket', () => {
  it('belongs to the user of the agent alone', async () => {
    const file = socketFile(plant.dataDir)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    if (process.getuid?.() !== 0) return
    // the folders are open, so that only the socket itself refuses
    for (const folder of [plant.dataDir, dirname(plant.dataDir)]) chmodSync(folder, 0o755)
    const script = `require('net').connect(${JSON.stringify(file)}).on('error', (e) => console.log(e.code)).on('connect', () => console.log('connected'))`
    const { stdout } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8', uid: 65_534, gid: 65_534 })
    if (stdout) expect(stdout.trim()).toBe('EACCES')
  })

  it('goes with the agent, and one that was left behind is no obstacle', async () => {
    await end()
    await expect(overview()).rejects.toThrow(`No agent runs on ${plant.dataDir}.`)
    const left = createServer().listen(socketFile(plant.dataDir))
    await new Promise((resolve) => left.once('listening', resolve))
    await start(0)
    expect((await overview()).agent_id).toBe('press-hall')
    left.close()
  })
})
