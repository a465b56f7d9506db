import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { RunningHub } from '../src/hub.ts'
import { endAll, type Program, run, until } from './processes.ts'
import { type Site, useRunningHubs } from './running-hub.ts'

const AGENT = 'edge-agent/src/main.ts'
const hubs = useRunningHubs({ HEARTBEAT_SECONDS: '1' })
let hub: RunningHub
let site: Site
let folder: string
beforeAll(async () => {
  hub = await hubs.start()
})
beforeEach(async () => {
  site = await hubs.site(hub)
  folder = mkdtempSync(path.join(tmpdir(), 'haltless-enrolled-'))
})
afterEach(async () => {
  await endAll()
  rmSync(folder, { recursive: true, force: true })
})

const settings = () => path.join(folder, 'agent.yaml')
const credentialFile = () => path.join(folder, 'data/credential.json')
const stored = () => JSON.parse(readFileSync(credentialFile(), 'utf8')) as { issued_at: string; credentials: string[] }
const newKey = async (values: object = {}): Promise<string> =>
  (await site.call('POST', 'enrolment-keys', { name: 'box', ...values })).body.key

function startEnroll(key: string, url: string, ...more: string[]): Program {
  const args = ['enroll', '--hub', url, '--config', settings(), '--agent-id', 'line-1', ...more]
  return run(AGENT, args, { HALTLESS_ENROLMENT_KEY: key })
}
async function enroll(key: string, url = hub.url, ...more: string[]) {
  const program = startEnroll(key, url, ...more)
  return { code: await program.ended, out: program.out(), err: program.err() }
}
const runAgent = () => run(AGENT, ['run', '--config', settings()])
const fleet = async () =>
  (await site.call('GET', 'agent/fleet')).body.agents as { agent_id: string; credential: string; last_seen: string }[]
const keys = async () =>
  ((await site.call('GET', 'api-keys')).body as { agent_id: string | null; is_active: boolean }[]).filter((key) => key.agent_id)

/** Resolves when the agent has reported after now. */
async function reports(): Promise<void> {
  const from = hubs.clock.now().toISOString()
  await until('the agent reports', async () => (await fleet()).some((agent) => agent.last_seen > from))
}

/** Every file below the folder. */
const filesIn = (dir: string) =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), 'latin1'))

type Stage = 'requested' | 'executed' | 'answered'
/**
 * A relay in front of the hub that reports each stage of a request: it arrived, the hub has executed it, the answer was sent. The stage
 * ends when `onStage` does; `true` cuts the connection.
 */
async function relay(onStage: (stage: Stage, name: string, key: string) => Promise<boolean> | boolean): Promise<string> {
  const serve = async (incoming: IncomingMessage, answer: ServerResponse) => {
    const name = `${incoming.method} ${(incoming.url ?? '').split('?')[0]?.replace('/api/v1/', '')}`
    const key = String(incoming.headers['x-api-key'] ?? '')
    const body = Buffer.concat(await incoming.toArray())
    if (await onStage('requested', name, key)) return void answer.destroy()
    const { host: _, connection: _c, ...headers } = incoming.headers
    const forwarded = request(`${hub.url}${incoming.url}`, { method: incoming.method, headers })
    forwarded.end(body)
    const reply = await new Promise<IncomingMessage>((done, fail) => forwarded.on('response', done).on('error', fail))
    const text = Buffer.concat(await reply.toArray())
    if (await onStage('executed', name, key)) return void answer.destroy()
    answer.writeHead(reply.statusCode ?? 500, { 'content-type': 'application/json', date: new Date().toUTCString() })
    await new Promise<void>((done) => answer.end(text, done))
    await onStage('answered', name, key)
  }
  const server = createServer((incoming, answer) => void serve(incoming, answer).catch(() => answer.destroy()))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe('enroll', () => {
  it('tests the transports in order, writes settings and credential, and the agent reports with it', async () => {
    const key = await newKey()
    const { code, out, err } = await enroll(key)
    expect([code, err]).toEqual([0, ''])
    expect(out.split('\n').slice(0, 9)).toEqual([
      'ok    DNS        not needed: 127.0.0.1 is an address',
      'ok    proxy      none is set',
      'ok    clock      that of this computer agrees with that of the hub',
      'ok    TLS        not used: the connection is not encrypted',
      `ok    HTTP       ${hub.url} accepts the enrolment key`,
      `ok    MQTT       mqtt://127.0.0.1:${hub.mqttPort} answers`,
      `ok    WebSocket  ws${hub.url.slice(4)}/mqtt answers`,
      'ok    transport  the agent will use MQTT',
      'ok    enrolled   the hub accepts this agent as line-1',
    ])
    for (const file of [settings(), credentialFile()]) expect(statSync(file).mode & 0o777).toBe(0o600)
    expect([out + err, ...filesIn(folder)].filter((text) => text.includes(key))).toEqual([])
    expect((await site.call('GET', 'enrolment-keys')).body[0]).toMatchObject({ status: 'used', used_by_agent: 'line-1' })
    const agent = runAgent()
    await reports()
    expect(await fleet()).toMatchObject([{ agent_id: 'line-1', credential: 'enrolled' }])
    expect(agent.out() + agent.err()).not.toContain(stored().credentials[0]?.slice(12))
  })

  it('keeps comments and settings of the file, and replaces the API key in it', async () => {
    writeFileSync(
      settings(),
      `# hall 3\nhub:\n  url: http://old.example.com # the pilot\n  api_key: ${site.key}\ndata_dir: ./data\nbuffer:\n  max_megabytes: 64 # small disk\ncollectors: []\n`,
    )
    expect((await enroll(await newKey())).code).toBe(0)
    const text = readFileSync(settings(), 'utf8')
    expect(text).toBe(
      `# hall 3\nhub:\n  url: ${hub.url} # the pilot\ndata_dir: ./data\nbuffer:\n  max_megabytes: 64 # small disk\ncollectors: []\nagent_id: line-1\n`,
    )
    runAgent()
    await reports()
  })

  it('stops when the agent is enrolled, and with --force the hub wants it released first', async () => {
    expect((await enroll(await newKey())).code).toBe(0)
    const [before, again] = [readFileSync(credentialFile(), 'utf8'), await newKey()]
    const second = await enroll(again)
    expect([second.code, second.out]).toEqual([1, ''])
    expect(second.err).toContain('is enrolled at')
    expect(second.err).toContain('--force')
    const forced = await enroll(again, hub.url, '--force')
    expect(forced.code).toBe(1)
    expect(forced.err).toMatch(/have an admin release line-1 first/)
    expect(readFileSync(credentialFile(), 'utf8')).toBe(before)
    const agent = runAgent()
    await reports()
    await site.call('POST', 'agent/fleet/line-1/release')
    await until('the agent says why it holds its readings', () => agent.out().includes('enrol it again'))
    expect((await enroll(again, hub.url, '--force')).code).toBe(0)
    await agent.end('SIGTERM')
    runAgent()
    await reports()
    expect(await fleet()).toMatchObject([{ credential: 'enrolled' }])
  })

  it('takes the agent_id from the key, and refuses another one before the exchange', async () => {
    const key = await newKey({ agent_id: 'oven-2' })
    const other = await enroll(key)
    expect([other.code, other.err]).toEqual([1, expect.stringContaining('--agent-id oven-2')])
    expect(existsSync(credentialFile())).toBe(false)
    const own = run(AGENT, ['enroll', '--hub', hub.url, '--config', settings()], { HALTLESS_ENROLMENT_KEY: key })
    expect([await own.ended, own.out()]).toEqual([0, expect.stringContaining('accepts this agent as oven-2')])
  })

  it.each([
    ['an API key', async () => site.key, /begins with he_/],
    ['half a key', async () => (await newKey()).slice(0, 30), /no whole enrolment key/],
    ['an unknown key', async () => `he_00000000_${'x'.repeat(43)}`, /the hub answered 401: The enrolment key is unknown/],
  ])('refuses %s with a sentence, without repeating it', async (_, keyOf, words) => {
    const key = await keyOf()
    const { code, out, err } = await enroll(key)
    expect([code, out + err]).toEqual([1, expect.stringMatching(words)])
    expect(out + err).not.toContain(key.slice(12))
    expect(existsSync(settings())).toBe(false)
  })

  it('shows its key in no list of processes', async () => {
    const key = await newKey()
    let shown: string[] = []
    const held = Promise.withResolvers<boolean>()
    const url = await relay(async (stage) => stage === 'requested' && shown.length === 0 && held.promise)
    const program = run(AGENT, ['enroll', '--hub', url, '--config', settings(), '--key', key])
    await until('it waits for the hub', () => readFileSync(`/proc/${program.pid}/cmdline`, 'utf8').startsWith('haltless-agent'))
    shown = readdirSync('/proc')
      .filter((pid) => /^\d+$/.test(pid))
      .map((pid) => {
        try {
          return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
        } catch {
          return ''
        }
      })
    held.resolve(false)
    expect(shown.filter((line) => line.includes(key))).toEqual([])
    expect(await program.ended).toBe(0)
  })
})

describe('a kill -9', () => {
  it.each(
    (['POST agent/enroll', 'GET agent/heartbeat'] as const).flatMap((name) =>
      (['requested', 'executed', 'answered'] as const).map((stage) => [name, stage] as const),
    ),
  )('of enroll when %s was %s leaves an enrolment that the same command completes', async (name, stage) => {
    const key = await newKey()
    let program: Program | undefined
    const url = await relay(async (at, request) => {
      if (program === undefined || at !== stage || request !== name) return false
      const victim = program
      program = undefined
      await victim.end('SIGKILL')
      return true
    })
    const victim = startEnroll(key, url)
    program = victim
    await victim.ended
    const again = await enroll(key, url)
    // The settings may be complete: then it says so, and the agent works.
    if (again.code !== 0) expect(again.err).toContain('is enrolled at')
    const agent = runAgent()
    await reports()
    await agent.end('SIGTERM')
    expect((await keys()).filter((one) => one.is_active)).toHaveLength(1)
    expect((await site.call('GET', 'enrolment-keys')).body[0].status).toBe('used')
  })

  it.each(
    (['POST agent/credential', 'POST agent/heartbeat'] as const).flatMap((name) =>
      (['requested', 'executed', 'answered'] as const).map((stage) => [name, stage] as const),
    ),
  )('of an agent that renews its credential, when %s was %s, leaves an agent that works', async (name, stage) => {
    let program: Program | undefined
    let first = ''
    const url = await relay(async (at, request, key) => {
      const isNew = name === 'POST agent/credential' || (first !== '' && key !== first)
      if (program === undefined || at !== stage || request !== name || !isNew) return false
      const victim = program
      program = undefined
      await victim.end('SIGKILL')
      return true
    })
    expect((await enroll(await newKey(), url)).code).toBe(0)
    first = stored().credentials[0] as string
    const old = { ...stored(), issued_at: '2026-01-01T00:00:00.000Z' }
    writeFileSync(credentialFile(), JSON.stringify(old))
    const victim = runAgent()
    program = victim
    expect(await victim.ended).toBe('SIGKILL')
    const agent = runAgent()
    await until('the new credential is in use', async () => {
      const listed = await keys()
      return stored().credentials[0] !== first && listed.filter((one) => one.is_active).length === 1
    })
    await reports()
    expect(stored().credentials).toHaveLength(2)
    await agent.end('SIGTERM')
    expect(await fleet()).toMatchObject([{ credential: 'enrolled' }])
  })
})

describe('an agent that renews its credential', () => {
  it('goes on with the one before when the answer is lost, and when the hub was restored from a backup', async () => {
    let lost = 0
    const url = await relay((stage, name) => stage === 'executed' && name === 'POST agent/credential' && lost++ === 0)
    expect((await enroll(await newKey(), url)).code).toBe(0)
    const [first] = stored().credentials
    writeFileSync(credentialFile(), JSON.stringify({ ...stored(), issued_at: '2026-01-01T00:00:00.000Z' }))
    let agent = runAgent()
    await until('the answer is lost', () => lost > 0)
    await reports()
    expect(stored().credentials).toEqual([first])
    await agent.end('SIGTERM')
    agent = runAgent()
    await until('it is renewed', () => stored().credentials[0] !== first)
    await reports()
    await agent.end('SIGTERM')
    // As a backup from before the rotation would have it.
    await hubs.owner`delete from api_keys where tenant_id = ${site.tenantId} and agent_id = 'line-1' and is_active`
    await hubs.owner`
      update api_keys set is_active = true, revoked_at = null where id = (
        select id from api_keys where tenant_id = ${site.tenantId} and agent_id = 'line-1' and activated_at is not null order by id limit 1)`
    runAgent()
    await reports()
    expect(await fleet()).toMatchObject([{ credential: 'enrolled' }])
  })
})

it('an agent with an API key in its settings goes on as before, and is listed as such', async () => {
  mkdirSync(path.join(folder, 'data'))
  writeFileSync(settings(), `hub: { url: "${hub.url}", api_key: ${site.key} }\nagent_id: line-9\n`, { mode: 0o600 })
  runAgent()
  await reports()
  expect(await fleet()).toMatchObject([{ agent_id: 'line-9', credential: 'api_key' }])
})
