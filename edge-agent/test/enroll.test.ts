import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { type EnrollOptions, enroll } from '../src/commands/enroll.ts'
import type { Finding } from '../src/commands/findings.ts'
import { loadConfig } from '../src/settings/config.ts'
import { systemClock } from '../src/support/clock.ts'
import { Secret } from '../src/support/secret.ts'
import { FakeHub } from './support/fake-hub.ts'
import { ScriptedProxy } from './support/scripted-proxy.ts'

const CERTIFICATE = fileURLToPath(new URL('./tls/certificate.pem', import.meta.url))
const tls = { cert: readFileSync(CERTIFICATE, 'utf8'), key: readFileSync(new URL('./tls/key.pem', import.meta.url), 'utf8') }

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'enroll-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

async function openHub(encrypted = false): Promise<FakeHub> {
  const hub = await FakeHub.start(encrypted ? tls : null)
  onTestFinished(() => hub.stop())
  return hub
}

/** A server that does something else than a hub with each connection. */
async function server(onConnection: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>()
  const listening: Server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    onConnection(socket)
  })
  await new Promise<void>((done) => listening.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    listening.close()
  })
  return (listening.address() as AddressInfo).port
}

/** Enrols, and returns what was reported beside how it ended. */
async function attempt(hub: FakeHub | null, options: Partial<EnrollOptions> = {}, stepMs = 2_000, env = {}) {
  const findings: Finding[] = []
  const given = { config: join(folder, 'agent.yaml'), hub: hub?.url ?? '', agentId: 'line-1', ...options }
  const key = new Secret(hub?.enrolmentKey ?? `he_00000000_${'k'.repeat(43)}`)
  const error = await enroll(given, key, { clock: systemClock, report: (found) => findings.push(found), stepMs, env }).then(
    () => null,
    (failure: Error) => failure.message,
  )
  const of = (what: string) => findings.find((found) => found.what === what)
  return { error, findings, of, last: findings.at(-1) as Finding }
}
const settings = () => readFileSync(join(folder, 'agent.yaml'), 'utf8')
const UNCHANGED = 'Nothing was changed.'

describe('a step that fails is reported with what to do', () => {
  it('for a hub whose name does not exist', async () => {
    const { error, last } = await attempt(null, { hub: 'https://hub.invalid' }, 8_000)
    expect([error, last]).toMatchObject([UNCHANGED, { what: 'DNS', result: 'FAIL' }])
    expect(last.words).toMatch(/hub\.invalid.*(correct --hub|name server)/)
  })

  it('for a hub that refuses the connection', async () => {
    const hub = await FakeHub.start()
    const { url } = hub
    await hub.stop()
    const { error, last } = await attempt(null, { hub: url })
    expect([error, last.words]).toEqual([UNCHANGED, expect.stringMatching(/refuses the connection; is the address right/)])
  })

  it('for a hub that accepts the connection and stays silent, when the step is over', async () => {
    const port = await server(() => {})
    const started = performance.now()
    const { last } = await attempt(null, { hub: `https://127.0.0.1:${port}` }, 500)
    expect(last).toMatchObject({ what: 'TLS', result: 'FAIL', words: expect.stringMatching(/no answer within 0.5 s.*firewall/) })
    expect(performance.now() - started).toBeLessThan(30_000)
  })

  it('for a hub that does not speak TLS', async () => {
    const { url } = await openHub()
    const { last } = await attempt(null, { hub: url.replace('http:', 'https:') })
    expect(last).toMatchObject({ what: 'TLS', words: expect.stringMatching(/does not speak TLS; is the port right/) })
  })

  it('for a certificate of an authority that is not trusted, before the key is sent', async () => {
    const hub = await openHub(true)
    let asked = 0
    hub.behaviour.enrolment = () => {
      asked++
      return null
    }
    const { error, last } = await attempt(hub)
    expect([error, last]).toMatchObject([UNCHANGED, { what: 'TLS', words: expect.stringMatching(/does not trust.*--ca/) }])
    expect(asked).toBe(0)
  })

  it('for a certificate of another host', async () => {
    const hub = await openHub(true)
    const { last } = await attempt(null, { hub: hub.url.replace('127.0.0.1', '127.0.0.2'), ca: CERTIFICATE })
    expect(last.what).toBe('TLS')
    expect(last.words).toMatch(/refuses the connection|is that of another host/)
  })

  it.each([
    [{ status: 404, body: { code: 'path_not_found', status: 404 } }, /older than this agent.*hub\.api_key/],
    [{ status: 200, body: 'Welcome to the hotel' }, /not like a Haltless hub; is --hub right/],
    [
      { status: 401, body: { code: 'enrolment_key_expired', detail: 'This enrolment key expired. Create a new key.' } },
      /401: This enrolment key expired. Create a new key/,
    ],
  ])('for an answer %j', async (answer, words) => {
    const hub = await openHub()
    hub.behaviour.enrolment = () => answer
    const { error, last } = await attempt(hub)
    expect([error, last]).toMatchObject([UNCHANGED, { what: 'HTTP', result: 'FAIL', words: expect.stringMatching(words) }])
  })

  it.each([
    ['ftp://hub.example.com', /is not an address/],
    ['https://user:secret@hub.example.com', /must not hold a user name or password/],
    ['http://hub.example.com', /is not encrypted/],
  ])('for the address %s, before anything is sent', async (hub, words) => {
    expect((await attempt(null, { hub })).error).toMatch(words)
  })

  it('for an agent_id with a space, and for a file of authorities that is missing or holds none', async () => {
    const hub = await openHub()
    expect((await attempt(hub, { agentId: 'line 1' })).error).toMatch(/1 to 64 of/)
    expect((await attempt(hub, { ca: join(folder, 'none.pem') })).error).toMatch(/There is no file/)
    writeFileSync(join(folder, 'empty.pem'), 'nothing')
    expect((await attempt(hub, { ca: join(folder, 'empty.pem') })).error).toMatch(/no certificate in PEM form/)
  })

  it('for a refused exchange, which writes nothing', async () => {
    const hub = await openHub()
    const body = { code: 'agent_enrolled', detail: 'The agent line-1 is enrolled. Have an admin release it.' }
    hub.behaviour.enrolment = (method) => (method === 'POST' ? { status: 409, body } : null)
    const { error } = await attempt(hub)
    expect(error).toBe('The hub answered 409: The agent line-1 is enrolled. Have an admin release it.')
    expect(() => settings()).toThrow('ENOENT')
  })

  it('for a folder that cannot be written, with the key unused', async () => {
    const hub = await openHub()
    writeFileSync(join(folder, 'file'), '')
    const { error } = await attempt(hub, { dataDir: join(folder, 'file/data') })
    expect(error).toMatch(/cannot be written.*The enrolment key can be used again/)
  })
})

describe('the transport that the agent will use', () => {
  it.each([
    [true, true, 'MQTT'],
    [false, true, 'MQTT over WebSocket'],
    [false, false, 'HTTP, which is slower; let MQTT through the firewall to speed it up'],
  ])('with MQTT open: %s and WebSocket open: %s is %s', async (isMqttOpen, isWebSocketOpen, transport) => {
    const hub = await openHub()
    Object.assign(hub.behaviour, { isMqttOpen, isWebSocketOpen })
    const { error, of } = await attempt(hub)
    expect([error, of('transport')?.words]).toEqual([null, `the agent will use ${transport}`])
    expect([of('MQTT')?.result, of('WebSocket')?.result]).toEqual([isMqttOpen ? 'ok' : 'note', isWebSocketOpen ? 'ok' : 'note'])
  })

  it('is not MQTT to a broker that stays silent, or that is not encrypted', async () => {
    const hub = await openHub()
    hub.behaviour.offeredMqttUrl = `mqtt://127.0.0.1:${await server(() => {})}`
    // the hub itself must answer within the same time
    expect((await attempt(hub, {}, 4_000)).of('MQTT')).toMatchObject({
      result: 'note',
      words: expect.stringMatching(/within 4 s/),
    })
    rmSync(folder, { recursive: true })
    mkdirSync(folder)
    hub.behaviour.offeredMqttUrl = 'mqtt://broker.example.com:1883'
    expect((await attempt(hub)).of('MQTT')?.words).toMatch(/is not encrypted/)
  })
})

describe('an enrolment', () => {
  it('through a proxy writes it into the settings, with the password only there', async () => {
    const hub = await openHub(true)
    const proxy = await ScriptedProxy.start()
    onTestFinished(() => proxy.stop())
    proxy.credentials = 'ada:open sesame'
    const { error, findings } = await attempt(hub, { ca: CERTIFICATE, proxy: `http://ada:open%20sesame@127.0.0.1:${proxy.port}` })
    expect([error, findings.map(({ result }) => result)]).toEqual([null, Array(9).fill('ok')])
    expect(findings[0]?.words).toBe('the proxy resolves 127.0.0.1')
    expect(findings[1]?.words).toMatch(/^127\.0\.0\.1:\d+ opens connections to the hub$/)
    expect(JSON.stringify(findings)).not.toContain('sesame')
    const { uplink } = loadConfig(join(folder, 'agent.yaml'), {})
    expect(uplink.proxy).toMatchObject({ host: '127.0.0.1', port: proxy.port, username: 'ada', noProxy: [] })
    expect(uplink.proxy?.password?.reveal()).toBe('open sesame')
  })

  it('uses the proxy of the settings that are there, whose password is in the environment, and leaves it so', async () => {
    const hub = await openHub(true)
    const proxy = await ScriptedProxy.start()
    onTestFinished(() => proxy.stop())
    proxy.credentials = 'ada:open sesame'
    const entry = `proxy: { url: "http://127.0.0.1:${proxy.port}", username: ada, password: "\${PROXY_PASSWORD}" }`
    writeFileSync(join(folder, 'agent.yaml'), `uplink:\n  ${entry}\n`)
    const unset = await attempt(hub, { ca: CERTIFICATE })
    expect(unset.error).toMatch(/uplink\.proxy\.password: the environment variable PROXY_PASSWORD is not set/)
    const { error, findings } = await attempt(hub, { ca: CERTIFICATE }, 2_000, { PROXY_PASSWORD: 'open sesame' })
    expect(error).toBeNull()
    expect(findings[0]?.words).toBe('the proxy resolves 127.0.0.1')
    expect(settings()).toMatch(/\$\{PROXY_PASSWORD\}/)
    expect(settings()).not.toContain('open sesame')
  })

  it('through the proxy of the environment writes it into the settings, because a service does not have that environment', async () => {
    const hub = await openHub()
    const proxy = await ScriptedProxy.start()
    onTestFinished(() => proxy.stop())
    proxy.credentials = 'ada:50%'
    proxy.addresses.set('hub.plant.test', '127.0.0.1')
    writeFileSync(join(folder, 'agent.yaml'), 'hub: { allow_plaintext: true }\n')
    const env = { HTTPS_PROXY: `http://ada:50%@127.0.0.1:${proxy.port}`, NO_PROXY: 'plc.example.com' }
    const given = { hub: `http://hub.plant.test:${new URL(hub.url).port}` }
    const { error, findings } = await attempt(hub, given, 2_000, env)
    expect([error, findings[0]?.words]).toEqual([null, 'the proxy resolves hub.plant.test'])
    const { uplink } = loadConfig(join(folder, 'agent.yaml'), {})
    expect(uplink.proxy).toMatchObject({
      port: proxy.port,
      username: 'ada',
      noProxy: expect.arrayContaining(['plc.example.com']),
    })
    expect(uplink.proxy?.password?.reveal()).toBe('50%')
  })

  it('at a proxy that wants a login names --proxy, and so it does for a wrong one', async () => {
    const hub = await openHub(true)
    const proxy = await ScriptedProxy.start()
    onTestFinished(() => proxy.stop())
    proxy.credentials = 'ada:open sesame'
    const without = await attempt(hub, { ca: CERTIFICATE, proxy: `127.0.0.1:${proxy.port}` })
    const advice = `(407); give both: --proxy http://USER:PASSWORD@127.0.0.1:${proxy.port}`
    expect(without.last.words).toBe(`the proxy 127.0.0.1:${proxy.port} wants a user name and password ${advice}`)
    const wrong = await attempt(hub, { ca: CERTIFICATE, proxy: `ada:closed@127.0.0.1:${proxy.port}` })
    expect(wrong.last.words).toBe(`the proxy 127.0.0.1:${proxy.port} refuses the user name or password ${advice}`)
  })

  it('over plaintext beyond this computer needs HALTLESS_ALLOW_PLAINTEXT, and writes it into the settings', async () => {
    const hub = await openHub()
    const proxy = await ScriptedProxy.start()
    onTestFinished(() => proxy.stop())
    proxy.addresses.set('hub.plant.test', '127.0.0.1')
    const given = { hub: `http://hub.plant.test:${new URL(hub.url).port}`, proxy: `127.0.0.1:${proxy.port}` }
    expect((await attempt(hub, given)).error).toMatch(/is not encrypted/)
    expect((await attempt(hub, given, 2_000, { HALTLESS_ALLOW_PLAINTEXT: 'yes' })).error).toMatch(/must be true or false/)
    expect((await attempt(hub, given, 2_000, { HALTLESS_ALLOW_PLAINTEXT: 'true' })).error).toBeNull()
    // a service does not have the environment of this command
    expect(loadConfig(join(folder, 'agent.yaml'), {}).hub.allowPlaintext).toBe(true)
  })

  it('with another proxy keeps the exceptions of the one before', async () => {
    const hub = await openHub(true)
    const proxy = await ScriptedProxy.start()
    onTestFinished(() => proxy.stop())
    writeFileSync(join(folder, 'agent.yaml'), 'uplink:\n  proxy: { url: "http://127.0.0.1:9", no_proxy: [plc.example.com] }\n')
    const { error } = await attempt(hub, { ca: CERTIFICATE, proxy: `127.0.0.1:${proxy.port}` })
    expect(error).toBeNull()
    expect(loadConfig(join(folder, 'agent.yaml'), {}).uplink.proxy).toMatchObject({
      port: proxy.port,
      noProxy: ['plc.example.com'],
    })
  })

  it('stops at a proxy that refuses, before the key is sent', async () => {
    const proxy = await ScriptedProxy.start()
    onTestFinished(() => proxy.stop())
    proxy.credentials = 'ada:open sesame'
    const { error, last } = await attempt(await openHub(), { proxy: `127.0.0.1:${proxy.port}` })
    expect([error, last]).toMatchObject([
      UNCHANGED,
      { what: 'proxy', result: 'FAIL', words: expect.stringMatching(/user name and password/) },
    ])
    expect((await attempt(await openHub(), { proxy: 'socks5://127.0.0.1:1' })).error).toMatch(
      /--proxy is not an address such as http:/,
    )
  })

  it('over TLS trusts the authorities of --ca on all transports, and copies them beside the settings', async () => {
    const hub = await openHub(true)
    const { error, findings } = await attempt(hub, { ca: CERTIFICATE })
    expect([error, findings.map(({ result }) => result)]).toEqual([null, Array(9).fill('ok')])
    expect(findings[3]?.words).toMatch(/^TLSv1\.3, certificate from .*, valid until .*2126/)
    expect(settings()).toContain('ca_file: hub-ca.pem')
    expect(statSync(join(folder, 'hub-ca.pem')).mode & 0o777).toBe(0o644)
    const { hub: loaded, uplink, agentId } = loadConfig(join(folder, 'agent.yaml'), {})
    expect([loaded.url, loaded.apiKey.reveal(), agentId]).toEqual([hub.url, hub.apiKey, 'line-1'])
    expect(readFileSync(uplink.caFile as string, 'utf8')).toBe(tls.cert)
  })

  it.each([
    [-3_600_000, /(3599|3600) s ahead of that of the hub; set it/],
    [3 * 86_400_000, /3 days behind that of the hub/],
  ])('with a hub whose clock is %d ms ahead says so and goes on', async (aheadMs, words) => {
    const hub = await openHub()
    hub.behaviour.aheadMs = aheadMs
    const { error, of } = await attempt(hub)
    expect([error, of('clock')]).toMatchObject([null, { result: 'note', words: expect.stringMatching(words) }])
  })

  it('whose first report is lost is complete: the agent repeats it', async () => {
    const hub = await openHub()
    hub.behaviour.enrolment = (method) => {
      if (method === 'POST') setImmediate(() => (hub.behaviour.isHttpOpen = false))
      return null
    }
    const { error, last } = await attempt(hub)
    expect([error, last]).toMatchObject([null, { what: 'enrolled', result: 'note' }])
    expect(loadConfig(join(folder, 'agent.yaml'), {}).hub.apiKey.reveal()).toBe(hub.apiKey)
  })

  it('assumes https for an address without a scheme, and takes the address of the API as that of the hub', async () => {
    const hub = await openHub(true)
    const { error } = await attempt(hub, { hub: `${hub.url.slice('https://'.length)}/api/v1/`, ca: CERTIFICATE })
    expect([error, settings()]).toEqual([null, expect.stringContaining(`url: ${hub.url}\n`)])
  })

  it('does not name the agent after another: settings of an agent with another id are refused at the start', async () => {
    const hub = await openHub()
    await attempt(hub)
    writeFileSync(join(folder, 'agent.yaml'), settings().replace('line-1', 'line-2'))
    expect(() => loadConfig(join(folder, 'agent.yaml'), {})).toThrow(/this agent is enrolled as line-1; set agent_id: line-1/)
    rmSync(join(folder, 'data'), { recursive: true })
    expect(() => loadConfig(join(folder, 'agent.yaml'), {})).toThrow(/hub.api_key: is missing, and this agent is not enrolled/)
  })
})
