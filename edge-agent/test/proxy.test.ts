import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { check } from '../src/commands/check.ts'
import { systemClock } from '../src/support/clock.ts'
import { createLogger } from '../src/support/logger.ts'
import type { ProxySettings } from '../src/support/proxy.ts'
import { Secret } from '../src/support/secret.ts'
import { Plant, readings, until } from './agent-harness.ts'
import { type ProxyBehaviour, ScriptedProxy } from './support/scripted-proxy.ts'

const CERTIFICATE = fileURLToPath(new URL('./tls/certificate.pem', import.meta.url))
const tls = { cert: readFileSync(CERTIFICATE, 'utf8'), key: readFileSync(new URL('./tls/key.pem', import.meta.url), 'utf8') }
const PASSWORD = 'open sesame'

let plant: Plant
let proxy: ScriptedProxy
beforeEach(async () => {
  ;[plant, proxy] = await Promise.all([Plant.open(tls), ScriptedProxy.start()])
})
afterEach(async () => {
  await plant.end()
  await proxy.stop()
})

const settings = (changes: Partial<ProxySettings> = {}): ProxySettings => ({
  host: '127.0.0.1',
  port: proxy.port,
  username: null,
  password: null,
  noProxy: [],
  ...changes,
})
const uplink = (changes: Partial<ProxySettings> = {}) => ({ caFile: CERTIFICATE, proxy: settings(changes) })
const ports = () => ({ https: new URL(plant.hub.url).port, mqtts: new URL(plant.hub.mqttUrl.replace('mqtts', 'https')).port })
const blockAllBut = (via: 'mqtt' | 'websocket' | 'http') => {
  plant.hub.behaviour.isMqttOpen = via === 'mqtt'
  plant.hub.behaviour.isWebSocketOpen = via === 'websocket'
}

describe.each(['mqtt', 'websocket', 'http'] as const)('over %s with a private authority', (via) => {
  it('everything goes through the proxy, with its user name and password', async () => {
    blockAllBut(via)
    proxy.credentials = `agent:${PASSWORD}`
    const { feed, agent, lines } = plant.start({ uplink: uplink({ username: 'agent', password: new Secret(PASSWORD) }) })
    await feed(readings(100))
    await until('all are stored', () => plant.hub.stored.size === 100)
    expect(agent.status().uplink.via).toBe(via)
    const { https, mqtts } = ports()
    expect(proxy.opened).toContain(`127.0.0.1:${https}`)
    if (via === 'mqtt') expect(proxy.opened).toContain(`127.0.0.1:${mqtts}`)
    expect(lines.join('\n') + JSON.stringify(agent.status())).not.toContain(PASSWORD)
  })

  it('a proxy that dies and comes back costs nothing but time', async () => {
    blockAllBut(via)
    const { feed, agent } = plant.start({ uplink: uplink() }, { betterRetryMs: 50 })
    await feed(readings(50))
    await until('half is stored', () => plant.hub.stored.size === 50)
    const { port } = proxy
    await proxy.stop()
    await feed(readings(50, 50))
    await until('the proxy is named', () => /the proxy 127\.0\.0\.1:\d+: connection refused/.test(agent.status().hub.detail))
    proxy = await ScriptedProxy.start(port)
    await until('all are stored', () => plant.hub.stored.size === 100)
  })
})

const FAILURES: [string, ProxyBehaviour, Partial<ProxySettings>, RegExp][] = [
  ['wants a password', 407, {}, /the proxy 127\.0\.0\.1:\d+ wants a user name and password \(407\); set uplink\.proxy\.username/],
  [
    'refuses the password',
    407,
    { username: 'a', password: new Secret(PASSWORD) },
    /refuses the user name or password in uplink\.proxy/,
  ],
  [
    'offers no Basic',
    'ntlm',
    { username: 'a', password: new Secret(PASSWORD) },
    /wants NTLM or Negotiate, and this agent speaks Basic only/,
  ],
  ['does not allow it', 403, {}, /does not allow connections to 127\.0\.0\.1:\d+ \(403\)/],
  ['cannot reach the hub', 502, {}, /the proxy 127\.0\.0\.1:\d+ cannot reach 127\.0\.0\.1:\d+ \(502\)/],
  ['closes the connection', 'close', {}, /closed the connection before it answered/],
  ['is no proxy', 'garbage', {}, /127\.0\.0\.1:\d+ does not answer like an HTTP proxy; is uplink\.proxy\.url right/],
  ['stays silent', 'silent', {}, /accepts the connection and does not answer \(8 s\)/],
  [
    'opens connections on which nothing answers',
    'silent-tunnel',
    {},
    /nothing answers on the connection to 127\.0\.0\.1:\d+ that the proxy .* opened/,
  ],
]

describe.each(FAILURES)('a proxy that %s', (_, behaviour, changes, words) => {
  it('is named by the running agent, and no reading is lost', async () => {
    proxy.behaviour = behaviour
    const { feed, agent, lines } = plant.start({ uplink: uplink(changes) })
    await feed(readings(10))
    // A proxy has 8 seconds; a slow computer may take longer to say so.
    await until('it is named', () => words.test(agent.status().hub.detail))
    expect(lines.join('\n')).not.toContain(PASSWORD)
    proxy.behaviour = 'tunnel'
    proxy.credentials = null
    await until('all are stored', () => plant.hub.stored.size === 10)
  })

  it('is named by check', async () => {
    proxy.behaviour = behaviour
    const config = { ...plant.config({ uplink: uplink(changes) }), collectors: [] }
    const probe = () => Promise.reject(new Error('there is no collector'))
    const findings = await check(config, { clock: systemClock, logger: createLogger('silent'), probe })
    expect(findings.find(({ what }) => what === 'hub')).toMatchObject({ result: 'FAIL', words: expect.stringMatching(words) })
    expect(JSON.stringify(findings)).not.toContain(PASSWORD)
  })

  // Silence takes eight seconds each time.
  const isSilent = String(behaviour).startsWith('silent')
  it.each(isSilent ? (['mqtt'] as const) : (['mqtt', 'websocket'] as const))('is named when only %s meets it', async (via) => {
    const { feed, agent, lines } = plant.start({ uplink: uplink(changes) }, { betterRetryMs: 50 })
    await until('the heartbeat has passed', () => agent.status().hub.detail === '' && plant.hub.connections.length > 0)
    proxy.behaviour = behaviour
    blockAllBut(via)
    await plant.hub.dropSessions()
    await feed(readings(10))
    const isNamed = () => lines.some((line) => line.includes(`"via":"${via}"`) && words.test(line))
    await until('it is named', isNamed)
    expect(lines.join('\n')).not.toContain(PASSWORD)
  })
})

it('hosts in no_proxy are reached without it', async () => {
  proxy.behaviour = 'close'
  const { feed } = plant.start({ uplink: uplink({ noProxy: ['127.0.0.0/8'] }) })
  await feed(readings(10))
  await until('all are stored', () => plant.hub.stored.size === 10)
  expect(proxy.opened).toEqual([])
})
