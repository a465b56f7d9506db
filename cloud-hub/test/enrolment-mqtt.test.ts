import { topicPrefix } from '@haltless/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RunningHub } from '../src/hub.ts'
import { connectMqtt, loginCode, readingsOf } from './mqtt-agent.ts'
import { type Site, useRunningHubs } from './running-hub.ts'
import { soon } from './soon.ts'
import { prepareMosquitto } from './support/mosquitto.ts'

const mosquitto = await prepareMosquitto()
const hubs = useRunningHubs()
let first: RunningHub
let second: RunningHub
afterAll(() => mosquitto.remove())
beforeAll(async () => {
  ;[first, second] = await Promise.all([hubs.start(), hubs.start()])
})

/** A call of an agent with a key. */
async function call(hub: RunningHub, method: string, path: string, key: string, body?: object) {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  const answer = await fetch(`${hub.url}/api/v1/${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  return { status: answer.status, body: (await answer.json()) as any }
}

/** Enrols an agent of the site and reports once. */
async function enrolled(hub: RunningHub, site: Site, agent_id: string) {
  const agent = { agent_id, agent_version: '1.0.0' }
  const { key } = (await site.call('POST', 'enrolment-keys', { name: 'box' })).body
  const { credential } = (await call(hub, 'POST', 'agent/enroll', key, agent)).body
  const { mqtt } = (await call(hub, 'POST', 'agent/heartbeat', credential, agent)).body
  return { agent, credential, mqtt, url: `mqtt://127.0.0.1:${hub.mqttPort}` }
}
const release = (site: Site, agentId: string) => site.call('POST', `agent/fleet/${agentId}/release`)

/** Resolves when none of the clients is connected, at the latest 5 seconds from now. */
const endWithin5s = async (clients: { isOpen(): boolean }[]) => {
  const started = performance.now()
  await soon(() => expect(clients.filter((client) => client.isOpen())).toEqual([]))
  expect(performance.now() - started).toBeLessThan(5_000)
}

describe('the embedded brokers of two replicas', () => {
  it('end the sessions of a released agent within 5 seconds, and no others', async () => {
    const site = await hubs.site(first)
    const [one, two, other, four] = await Promise.all([
      enrolled(first, site, 'line-1'),
      enrolled(second, site, 'line-2'),
      enrolled(second, site, 'line-3'),
      enrolled(first, site, 'line-4'),
    ])
    const byToken = await connectMqtt(one.url, one.mqtt.topic_prefix, one.mqtt)
    // an agent on the other replica than that which enrolled it, with the credential itself as the password
    const byCredential = await connectMqtt(two.url, four.mqtt.topic_prefix, { username: 'line-4', password: four.credential })
    const second2 = await connectMqtt(two.url, two.mqtt.topic_prefix, two.mqtt)
    const bystander = await connectMqtt(other.url, other.mqtt.topic_prefix, other.mqtt)
    for (const agent of ['line-1', 'line-4']) expect((await release(site, agent)).status).toBe(204)
    await endWithin5s([byToken, byCredential])
    expect([second2.isOpen(), bystander.isOpen()]).toEqual([true, true])
    expect(await loginCode(connectMqtt(one.url, '', one.mqtt))).toBe(4)
    const items: { id: string; agent_id: string | null }[] = (await site.call('GET', 'api-keys')).body
    await site.call('DELETE', `settings/api-keys/${items.find((key) => key.agent_id === 'line-2')?.id}`)
    await endWithin5s([second2])
    expect(bystander.isOpen()).toBe(true)
  })

  it('admit a credential only under the agent_id that it belongs to', async () => {
    const site = await hubs.site(first)
    const { credential, url } = await enrolled(first, site, 'line-1')
    const as = (username: string) => loginCode(connectMqtt(url, '', { username, password: credential, clientId: 'one-instance' }))
    expect(await as('line-2')).toBe(4)
    expect(await as(`${site.tenantId}/line-2`)).toBe(4)
    expect(await as('line-1')).toBe(0)
    expect(await as(`${site.tenantId}/line-1`)).toBe(0)
  })

  it('end the session of the old credential when the new one is first used, and admit the new one', async () => {
    const site = await hubs.site(first)
    const { agent, credential, mqtt, url } = await enrolled(first, site, 'line-1')
    const old = await connectMqtt(url, mqtt.topic_prefix, mqtt)
    const next = (await call(second, 'POST', 'agent/credential', credential)).body.credential
    expect((await call(first, 'POST', 'agent/heartbeat', credential, agent)).status).toBe(200)
    const { body } = await call(second, 'POST', 'agent/heartbeat', next, agent)
    await endWithin5s([old])
    expect(await loginCode(connectMqtt(url, '', { ...body.mqtt }))).toBe(0)
  })

  it('end the session of a plain API key when its agent is enrolled, and admit its token no more', async () => {
    const site = await hubs.site(first)
    const agents = ['line-1', 'line-2'].map((agent_id) => ({ agent_id, agent_version: '1.0.0' }))
    const answers = await Promise.all(agents.map((agent) => call(first, 'POST', 'agent/heartbeat', site.key, agent)))
    const [plain, bystander] = answers.map(({ body }) => body.mqtt)
    const url = `mqtt://127.0.0.1:${second.mqttPort}`
    const [session, other] = [
      await connectMqtt(url, plain.topic_prefix, plain),
      await connectMqtt(url, bystander.topic_prefix, bystander),
    ]
    await enrolled(first, site, 'line-1')
    await endWithin5s([session])
    expect(other.isOpen()).toBe(true)
    expect(await loginCode(connectMqtt(url, '', plain))).toBe(4)
  })
})

describe('hubs on an external broker', () => {
  it('accept nothing more of a released agent within 5 seconds, whose session the broker keeps', async () => {
    mosquitto.user('hub', 'hub-password')
    await mosquitto.start()
    const settings = { MQTT_URL: mosquitto.url, MQTT_USERNAME: 'hub', MQTT_PASSWORD: 'hub-password' }
    const replicas = await Promise.all([hubs.start(settings), hubs.start(settings)])
    const hub = replicas[0] as RunningHub
    for (const { url } of replicas) await soon(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200))
    const site = await hubs.site(hub)
    await enrolled(hub, site, 'line-1')
    const username = `${site.tenantId}/line-1`
    mosquitto.user(username, 'agent-password')
    const prefix = topicPrefix(site.tenantId, 'line-1')
    const agent = await soon(() => connectMqtt(mosquitto.url, prefix, { username, password: 'agent-password' }))
    await agent.client.subscribeAsync(`${prefix}/receipts`, { qos: 1 })
    const at = (seconds: number) => readingsOf(site.identifier, 1, new Date(hubs.clock.now().getTime() - seconds * 1_000))
    await agent.receipt(await agent.send(at(60)))
    await release(site, 'line-1')
    await new Promise((done) => setTimeout(done, 5_000))
    const before = await site.stored()
    // As many as both replicas would share.
    for (let i = 0; i < 10; i++) await agent.send(at(50 - i))
    await new Promise((done) => setTimeout(done, 1_000))
    expect([await site.stored(), agent.arrived.length]).toEqual([before, 1])
    await enrolled(hub, site, 'line-1')
    await soon(async () => {
      await agent.send(at(5))
      expect(await site.stored()).toBe(before + 1)
    })
  })
})
