import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { check } from '../src/commands/check.ts'
import { systemClock } from '../src/support/clock.ts'
import { createLogger } from '../src/support/logger.ts'
import { Secret } from '../src/support/secret.ts'
import { Plant, readings, until } from './agent-harness.ts'
import { FakeHub } from './support/fake-hub.ts'

const CERTIFICATE = fileURLToPath(new URL('./tls/certificate.pem', import.meta.url))
const tls = { cert: readFileSync(CERTIFICATE, 'utf8'), key: readFileSync(new URL('./tls/key.pem', import.meta.url), 'utf8') }

let plant: Plant
beforeEach(async () => {
  plant = await Plant.open(tls)
})
afterEach(() => plant.end())

it.each(['mqtt', 'websocket', 'http'] as const)(
  'a hub with a certificate of the plant’s own is trusted by ca_file, over %s',
  async (via) => {
    plant.hub.behaviour.isMqttOpen = via === 'mqtt'
    plant.hub.behaviour.isWebSocketOpen = via === 'websocket'
    const { feed, agent } = plant.start({ uplink: { caFile: CERTIFICATE } })
    await feed(readings(100))
    await until('all are stored', () => plant.hub.stored.size === 100)
    expect(agent.status().uplink.via).toBe(via)
  },
)

it('a certificate that nobody vouches for is refused: no heartbeat, no key, no reading gets out', async () => {
  const { feed, agent } = plant.start()
  await feed(readings(10))
  await until('the heartbeat has failed', () => /certificate/.test(agent.status().hub.detail))
  expect([plant.hub.heartbeats, plant.hub.connections, plant.hub.ingests]).toEqual([[], [], []])
  expect(plant.report().buffer.buffered).toBe(10)
})

it.each([
  ['a certificate that nobody vouches for', 'https', /self-signed and not trusted; .* uplink.ca_file/],
  ['a hub that does not speak TLS', 'plain', /does not speak TLS.*is the address right/],
])('%s is said in words that help', async (_, kind, words) => {
  const hub = kind === 'plain' ? await FakeHub.start() : plant.hub
  const url = `https://127.0.0.1:${new URL(hub.url).port}`
  const config = { ...plant.config(), hub: { url, apiKey: new Secret('hk_fake_key'), allowPlaintext: false }, collectors: [] }
  const probe = () => Promise.reject(new Error('there is no collector'))
  const findings = await check(config, { clock: systemClock, logger: createLogger('silent'), probe })
  expect(findings.find(({ what }) => what === 'hub')).toMatchObject({ result: 'FAIL', words: expect.stringMatching(words) })
  if (kind === 'plain') await hub.stop()
})
