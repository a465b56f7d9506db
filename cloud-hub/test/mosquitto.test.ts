import { randomUUID } from 'node:crypto'
import { Secret } from '@haltless/edge-agent/secret'
import { topicPrefix } from '@haltless/protocol'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { joinExternalBroker } from '../src/broker/external.ts'
import { loadConfig } from '../src/config.ts'
import { prepareDatabase } from '../src/db/migrate.ts'
import { openPools } from '../src/db/pools.ts'
import { Flusher, IngestQueue } from '../src/features/telemetry/ingest/index.ts'
import type { RunningHub } from '../src/hub.ts'
import { packedStore } from '../src/readings/index.ts'
import { createLogger } from '../src/support/logger.ts'
import { createSecretBox } from '../src/support/secrets/secret-box.ts'
import { connectMqtt, loginCode, type MqttAgent, readingsOf } from './mqtt-agent.ts'
import { holdFlushes, type Site, useRunningHubs } from './running-hub.ts'
import { soon } from './soon.ts'
import { prepareMosquitto } from './support/mosquitto.ts'
import { INSERTS } from './support/stored-readings.ts'

const mosquitto = await prepareMosquitto()
const hubs = useRunningHubs()
const PASSWORD = 'agent-password'

/** One more replica that has joined the broker. */
async function replica(): Promise<RunningHub> {
  const hub = await hubs.start({ MQTT_URL: mosquitto.url, MQTT_USERNAME: 'hub', MQTT_PASSWORD: 'hub-password' })
  await soon(async () => expect((await fetch(`${hub.url}/readyz`)).status).toBe(200))
  return hub
}

/** A site whose agents may log in at Mosquitto. */
async function siteWith(hub: RunningHub, ...agentIds: string[]): Promise<Site> {
  const site = await hubs.site(hub)
  for (const id of agentIds) mosquitto.user(`${site.tenantId}/${id}`, PASSWORD)
  return site
}

async function agentOf(site: Site, id: string, { url } = mosquitto): Promise<MqttAgent> {
  const username = `${site.tenantId}/${id}`
  const login = () => connectMqtt(url, topicPrefix(site.tenantId, id), { username, password: PASSWORD })
  // Mosquitto reads its password file a moment after it is told to
  const agent = await soon(login)
  await agent.client.subscribeAsync(`${agent.prefix}/receipts`, { qos: 1 })
  return agent
}

const flushed = async (hub: RunningHub) =>
  Number(/haltless_readings_flushed_total (\d+)/.exec(await (await fetch(`${hub.url}/metrics`)).text())?.[1] ?? 0)

let first: RunningHub
let second: RunningHub
afterAll(() => mosquitto.remove())
beforeAll(async () => {
  mosquitto.user('hub', 'hub-password')
  await mosquitto.start()
  ;[first, second] = await Promise.all([replica(), replica()])
})

describe('two replicas on one external broker', () => {
  it('share the batches: each is handled once, by one of them, and answered', async () => {
    const site = await siteWith(first, 'line-1')
    const agent = await agentOf(site, 'line-1')
    const now = hubs.clock.now().getTime()
    const before = [await flushed(first), await flushed(second)] as const
    const ids = await Promise.all(
      Array.from({ length: 100 }, (_, i) => agent.send(readingsOf(site.identifier, 5, new Date(now - i * 5_000)))),
    )
    await soon(() => expect(agent.arrived).toHaveLength(100))
    expect(new Set(agent.arrived.map(({ payload }) => JSON.parse(payload).batch_id))).toEqual(new Set(ids))
    expect(await site.stored()).toBe(500)
    // what /metrics tells may be a second old
    await soon(async () => {
      const shares = [(await flushed(first)) - before[0], (await flushed(second)) - before[1]] as const
      expect(shares[0] + shares[1]).toBe(500)
      expect(Math.min(...shares)).toBeGreaterThan(0)
    })
  })

  it('name rejections by index and store a batch sent twice once, whichever takes it', async () => {
    const site = await siteWith(first, 'line-1')
    const agent = await agentOf(site, 'line-1')
    const now = hubs.clock.now()
    const readings = [...readingsOf('nobody', 1, now), ...readingsOf(site.identifier, 9, now)]
    const id = randomUUID()
    for (let i = 0; i < 4; i++) await agent.send(readings, id)
    await soon(() => expect(agent.arrived).toHaveLength(4))
    for (const { payload } of agent.arrived)
      expect(JSON.parse(payload)).toMatchObject({
        batch_id: id,
        accepted_count: 9,
        errors: [{ index: 0, code: 'unknown_machine' }],
      })
    expect(await site.stored()).toBe(9)
  })

  it('take telemetry, and answer with retained directives', async () => {
    const site = await siteWith(first, 'line-1')
    const agent = await agentOf(site, 'line-1')
    const directives = `${agent.prefix}/directives`
    const told = (retain: boolean) =>
      soon(() => {
        const { payload } = agent.arrived.find((one) => one.topic === directives && one.retain === retain) ?? { payload: '{}' }
        expect(JSON.parse(payload)).toMatchObject({ status: 'ok', unsupported: true })
      })
    await agent.client.subscribeAsync(directives, { qos: 1 })
    const report = JSON.stringify({ agent_id: 'line-1', agent_version: '0.0.1' })
    await agent.client.publishAsync(`${agent.prefix}/telemetry`, report, { qos: 1 })
    await told(false)
    expect((await site.call('GET', 'agent/fleet')).body).toMatchObject({ total: 1, agents: [{ agent_version: '0.0.1' }] })
    await agent.client.unsubscribeAsync(directives)
    await agent.client.subscribeAsync(directives, { qos: 1 })
    await told(true)
  })

  it("tell an agent its polling sources, retained, through either's broker connection, and to nobody else", async () => {
    const [site, other] = [await siteWith(first, 'line-1'), await siteWith(second, 'line-1')]
    const [agent, stranger] = [await agentOf(site, 'line-1'), await agentOf(other, 'line-1')]
    const source = { machine_id: site.machineId, name: 'PLC', protocol: 'modbus', host: '10.0.0.5', port: 502 }
    const topic = `${agent.prefix}/sources`
    const told = (retain: boolean, wanted: object) =>
      soon(() => {
        const { payload } = agent.arrived.findLast((one) => one.topic === topic && one.retain === retain) ?? { payload: '{}' }
        expect(JSON.parse(payload)).toMatchObject(wanted)
      })
    await agent.client.subscribeAsync(topic, { qos: 1 })
    await stranger.client.subscribeAsync([`${stranger.prefix}/sources`, topic], { qos: 1 }).catch(() => {})
    const { body } = await site.call('POST', 'ingest-sources', { ...source, config: { agent_id: 'line-1' } })
    await told(false, { revision: 1, sources: [{ source_id: body.id, host: '10.0.0.5', machine_identifier: site.identifier }] })
    await site.call('DELETE', `ingest-sources/${body.id}`)
    await told(false, { revision: 2, sources: [] })
    await agent.client.unsubscribeAsync(topic)
    await agent.client.subscribeAsync(topic, { qos: 1 })
    await told(true, { revision: 2, sources: [] })
    expect(stranger.arrived).toEqual([])
  })

  it('are reached only by agents that Mosquitto knows, each below its own prefix', async () => {
    const [site, other] = [await siteWith(first, 'line-1', 'line-2'), await siteWith(second, 'line-1')]
    const agent = await agentOf(site, 'line-1')
    const victim = await agentOf(other, 'line-1')
    const strangers = [{}, { username: `${site.tenantId}/line-1`, password: 'wrong' }, { username: 'hub', password: PASSWORD }]
    for (const stranger of strangers) expect(await loginCode(connectMqtt(mosquitto.url, '', stranger))).toBe(5)
    for (const topic of [
      `${topicPrefix(site.tenantId, 'line-2')}/readings`,
      `${victim.prefix}/readings`,
      `${victim.prefix}/receipts`,
    ])
      await agent.client.publishAsync(topic, 'x', { qos: 1 })
    // Mosquitto grants any subscription and delivers what the access list allows
    await agent.client.subscribeAsync(['#', `${victim.prefix}/#`], { qos: 1 }).catch(() => {})
    await victim.receipt(await victim.send(readingsOf(other.identifier, 1, hubs.clock.now())))
    await agent.receipt(await agent.send(readingsOf(site.identifier, 1, hubs.clock.now())))
    expect(agent.arrived.filter(({ topic }) => !topic.startsWith(`${agent.prefix}/`))).toEqual([])
    expect(victim.arrived).toHaveLength(1)
  })

  it('lose nothing when one is stopped while batches arrive, and every batch has its receipt', async () => {
    const leaving = await replica()
    const site = await siteWith(first, 'line-1')
    const agent = await agentOf(site, 'line-1')
    const now = hubs.clock.now().getTime()
    const batches = Array.from({ length: 150 }, (_, i) => ({
      id: randomUUID(),
      readings: readingsOf(site.identifier, 4, new Date(now - i * 4_000)),
    }))
    const hold = await holdFlushes(hubs.owner)
    for (const { id, readings } of batches.slice(0, 75)) await agent.send(readings, id)
    await soon(async () => expect(await hold.waiting()).toBeGreaterThan(1))
    const stopped = leaving.stop()
    await hold.release()
    for (const { id, readings } of batches.slice(75)) await agent.send(readings, id)
    await stopped
    const answered = () => new Set(agent.arrived.map(({ payload }) => JSON.parse(payload).batch_id))
    // as agents do: what has no receipt is sent again
    await soon(async () => {
      const missing = batches.filter(({ id }) => !answered().has(id))
      for (const { id, readings } of missing.slice(0, 20)) await agent.send(readings, id)
      expect(missing).toHaveLength(0)
    })
    expect(await site.stored()).toBe(600)
  })
})

describe('an agent that joins a group of subscribers', () => {
  const readings = 'haltless/v1/+/+/readings'
  it.each([
    ['of earlier versions', [`$share/haltless/${readings}`]],
    ['under a guessed name', [`$share/haltless-${'0'.repeat(32)}/${readings}`, `$share/haltless-hubs/${readings}`]],
    ['for every topic', ['$share/haltless/#', '$share/haltless-0/haltless/#', '#', readings]],
  ])('%s takes no batch from the hubs: each of 20 has its receipt', async (_name, topics) => {
    const [site, other] = [await siteWith(first, 'line-1'), await siteWith(second, 'thief')]
    const [agent, thief] = [await agentOf(site, 'line-1'), await agentOf(other, 'thief')]
    await thief.client.subscribeAsync(topics, { qos: 1 }).catch(() => {})
    const now = hubs.clock.now().getTime()
    const ids = await Promise.all(
      Array.from({ length: 20 }, (_, i) => agent.send(readingsOf(site.identifier, 2, new Date(now - i * 2_000)))),
    )
    for (const id of ids) expect(await agent.receipt(id)).toMatchObject({ accepted_count: 2 })
    expect(await site.stored()).toBe(40)
    expect(thief.arrived).toEqual([])
  })
})

it('more batches at once than a hub handles at once, of 70 agents at one hub, have their receipts', async () => {
  const own = await prepareMosquitto()
  own.user('hub', 'hub-password')
  const hub = await hubs.start({ MQTT_URL: own.url, MQTT_USERNAME: 'hub', MQTT_PASSWORD: 'hub-password' })
  onTestFinished(async () => {
    await hub.stop()
    await own.remove()
  })
  const site = await hubs.site(hub)
  const names = Array.from({ length: 70 }, (_, i) => `line-${i}`)
  own.users(
    names.map((name) => `${site.tenantId}/${name}`),
    PASSWORD,
  )
  await own.start()
  await soon(async () => expect((await fetch(`${hub.url}/readyz`)).status).toBe(200))
  const agents = await Promise.all(names.map((name) => agentOf(site, name, own)))
  const now = hubs.clock.now().getTime()
  const hold = await holdFlushes(hubs.owner)
  const ids = await Promise.all(agents.map((agent, i) => agent.send(readingsOf(site.identifier, 1, new Date(now - i * 1_000)))))
  await soon(async () => expect(await hold.waiting()).toBeGreaterThan(0))
  await hold.release()
  const receipts = await Promise.all(agents.map((agent, i) => agent.receipt(ids[i] as string)))
  for (const receipt of receipts) expect(receipt).toMatchObject({ accepted_count: 1 })
  expect(await site.stored()).toBe(70)
})

it('while hubs of two groups run side by side, as in a rolling upgrade, both answer each batch alike and it is stored once', async () => {
  const site = await siteWith(first, 'line-1')
  const agent = await agentOf(site, 'line-1')
  // another key names another group; the rest of it is a hub as any other
  const pools = openPools(await prepareDatabase(hubs.databaseUrl, [new Secret(hubs.secretKey)]))
  const logger = createLogger('silent')
  const clock = hubs.clock
  const config = loadConfig({})
  const { baselineIntervalSeconds, machineOfflineAfterSeconds } = config
  const store = packedStore(INSERTS)
  const flusher = new Flusher({
    ingest: pools.ingest,
    clock,
    store,
    baselineIntervalSeconds,
    machineOfflineAfterSeconds,
    worker: null,
  })
  const box = createSecretBox([new Secret('another key, which makes another group')])
  const deps = { pools, box, ingest: new IngestQueue(flusher, logger), clock, logger, config }
  const older = await joinExternalBroker(deps, { url: mosquitto.url, username: 'hub', password: 'hub-password' })
  onTestFinished(async () => {
    await older.close()
    await pools.close()
  })
  const now = clock.now().getTime()
  const answers = () => agent.arrived.map(({ payload }) => JSON.parse(payload))
  // its subscription stands when a batch is answered twice
  const probe = () => agent.send(readingsOf(site.identifier, 1, new Date(now - 3_600_000)))
  await soon(async () => {
    const id = await probe()
    await soon(() => expect(answers().filter(({ batch_id }) => batch_id === id)).toHaveLength(2))
  })
  const before = agent.arrived.length
  const batches = Array.from({ length: 20 }, (_, i) => [
    ...readingsOf('nobody', 1, new Date(now)),
    ...readingsOf(site.identifier, 2, new Date(now - i * 2_000)),
  ])
  const ids = await Promise.all(batches.map((readings) => agent.send(readings)))
  await soon(() => expect(agent.arrived.length - before).toBe(40))
  for (const id of ids) {
    const receipts = answers().filter(({ batch_id }) => batch_id === id)
    expect(receipts).toHaveLength(2)
    expect(receipts[0]).toEqual(receipts[1])
    expect(receipts[0]).toMatchObject({ accepted_count: 2, rejected_count: 1, errors: [{ index: 0, code: 'unknown_machine' }] })
  }
  expect(await site.stored()).toBe(41)
})

it('a broker that goes away shows at /readyz, and does not keep a hub from stopping', async () => {
  await mosquitto.end('SIGTERM')
  await soon(async () => expect((await fetch(`${first.url}/readyz`)).status).toBe(503))
  expect((await fetch(`${first.url}/healthz`)).status).toBe(200)
  const started = performance.now()
  await Promise.all([first.stop(), second.stop()])
  expect(performance.now() - started).toBeLessThan(9_000)
})
