import { randomUUID } from 'node:crypto'
import { topicPrefix } from '@haltless/protocol'
import { beforeAll, describe, expect, it } from 'vitest'
import type { RunningHub } from '../src/hub.ts'
import { createLogger } from '../src/support/logger.ts'
import { batchOf } from './batch.ts'
import { type Arrived, connectMqtt, loginCode, readingsOf } from './mqtt-agent.ts'
import { holdFlushes, type Site, useRunningHubs } from './running-hub.ts'
import { soon } from './soon.ts'

const hubs = useRunningHubs()
let hub: RunningHub
let url: string
beforeAll(async () => {
  hub = await hubs.start()
  url = `mqtt://127.0.0.1:${hub.mqttPort}`
})

/** An agent of a site that logs in as heartbeats say. */
async function agentOf(site: Site, agent_id = 'line-1', instance_id: string = randomUUID()) {
  const { body } = await site.heartbeat({ agent_id, agent_version: '0.1.0', instance_id })
  const { username, password, topic_prefix } = body.mqtt
  return connectMqtt(url, topic_prefix, { username, password })
}

/** A client that logs in with an API key. */
const plainClient = (site: Site, agentId: string, options: Record<string, unknown> = {}) =>
  connectMqtt(url, topicPrefix(site.tenantId, agentId), { username: agentId, password: site.key, ...options })

async function ready(agentId = 'line-1') {
  const site = await hubs.site(hub)
  const agent = await agentOf(site, agentId)
  await agent.client.subscribeAsync(`${agent.prefix}/receipts`, { qos: 1 })
  return { site, agent }
}

describe('a batch', () => {
  it('is answered by a receipt when its rows are committed, and no sooner', async () => {
    const { site, agent } = await ready()
    const hold = await holdFlushes(hubs.owner)
    const id = await agent.send(readingsOf(site.identifier, 300, hubs.clock.now()))
    await soon(async () => expect(await hold.waiting()).toBe(1))
    expect(agent.arrived).toEqual([])
    await hold.release()
    expect(await agent.receipt(id)).toEqual({ batch_id: id, accepted_count: 300, rejected_count: 0, errors: [] })
    expect(await site.stored()).toBe(300)
  })

  it('with one poison reading among 1,000 stores the 999 and names the one by its index', async () => {
    const { site, agent } = await ready()
    const readings = readingsOf(site.identifier, 1_000, hubs.clock.now())
    const tomorrow = hubs.clock.now().getTime() + 86_400_000
    readings[417] = { ...(readings[417] as (typeof readings)[0]), timestamp: tomorrow }
    const receipt = await agent.receipt(await agent.send(readings))
    expect(receipt).toMatchObject({ accepted_count: 999, rejected_count: 1 })
    expect(receipt.errors).toMatchObject([{ index: 417, machine_identifier: site.identifier, code: 'timestamp_in_future' }])
    expect(await site.stored()).toBe(999)
  })

  it('names readings of unknown machines, another tenant’s included, by index', async () => {
    const [{ site, agent }, other] = [await ready(), await hubs.site(hub)]
    const now = hubs.clock.now()
    const readings = [other.identifier, site.identifier, 'nobody'].flatMap((machine) => readingsOf(machine, 1, now))
    const receipt = await agent.receipt(await agent.send(readings))
    expect(receipt.errors.map(({ index, machine_identifier, code }) => [index, machine_identifier, code])).toEqual([
      [0, other.identifier, 'unknown_machine'],
      [2, 'nobody', 'unknown_machine'],
    ])
    expect(await other.stored()).toBe(0)
    expect(await site.stored()).toBe(1)
  })

  it('that is damaged is refused by its id, and one without an id gets no answer', async () => {
    const { site, agent } = await ready()
    const id = randomUUID()
    const bytes = batchOf(readingsOf(site.identifier, 10, hubs.clock.now()), id)
    bytes[bytes.length - 1] = (bytes[bytes.length - 1] as number) ^ 255
    await agent.client.publishAsync(`${agent.prefix}/readings`, 'no batch at all', { qos: 1 })
    await agent.client.publishAsync(`${agent.prefix}/readings`, bytes, { qos: 1 })
    expect(await agent.receipt(id)).toMatchObject({ accepted_count: 0, refused: { code: expect.any(String) } })
    expect(agent.arrived).toHaveLength(1)
    expect(await site.stored()).toBe(0)
  })

  it('of an unknown version is refused by its id', async () => {
    const { site, agent } = await ready()
    const id = randomUUID()
    const bytes = batchOf(readingsOf(site.identifier, 10, hubs.clock.now()), id)
    bytes[1] = 77
    await agent.client.publishAsync(`${agent.prefix}/readings`, bytes, { qos: 1 })
    expect(await agent.receipt(id)).toMatchObject({ refused: { code: 'unknown_version' } })
  })

  it('sent twice is answered twice and stored once', async () => {
    const { site, agent } = await ready()
    const readings = readingsOf(site.identifier, 50, hubs.clock.now())
    const id = await agent.send(readings)
    await agent.send(readings, id)
    await soon(() => expect(agent.arrived).toHaveLength(2))
    for (const { payload } of agent.arrived) expect(JSON.parse(payload)).toMatchObject({ batch_id: id, accepted_count: 50 })
    expect(await site.stored()).toBe(50)
  })

  it('whose receipt was lost is sent again and stored once', async () => {
    const site = await hubs.site(hub)
    const instance = randomUUID()
    const first = await agentOf(site, 'line-1', instance)
    const readings = readingsOf(site.identifier, 50, hubs.clock.now())
    const id = await first.send(readings)
    await first.client.endAsync(true)
    await soon(async () => expect(await site.stored()).toBe(50))
    const again = await agentOf(site, 'line-1', instance)
    await again.client.subscribeAsync(`${again.prefix}/receipts`, { qos: 1 })
    await again.send(readings, id)
    expect(await again.receipt(id)).toMatchObject({ accepted_count: 50, rejected_count: 0 })
    expect(await site.stored()).toBe(50)
  })

  it('of one client waits for no other client, even while that one has a hundred batches under way', async () => {
    const [noisy, quiet] = [await ready(), await ready()]
    const hold = await holdFlushes(hubs.owner)
    for (let i = 0; i < 100; i++) noisy.agent.send(readingsOf(noisy.site.identifier, 5, hubs.clock.now())).catch(() => {})
    await soon(async () => expect(await hold.waiting()).toBeGreaterThan(0))
    const id = await quiet.agent.send(readingsOf(quiet.site.identifier, 5, hubs.clock.now()))
    await hold.release()
    expect(await quiet.agent.receipt(id)).toMatchObject({ accepted_count: 5 })
    await soon(() => expect(noisy.agent.arrived).toHaveLength(100))
  })
})

describe('who may log in', () => {
  const refused = async (username: string | undefined, password: string | undefined) =>
    expect(await loginCode(connectMqtt(url, '', { username, password }))).toBe(4)

  it('are clients with a token of a heartbeat, under the full user name or the agent’s id', async () => {
    const site = await hubs.site(hub)
    const { body } = await site.heartbeat({ agent_id: 'line-1', agent_version: '0.1.0' })
    expect(body.mqtt).toMatchObject({
      url,
      username: `${site.tenantId}/line-1`,
      topic_prefix: topicPrefix(site.tenantId, 'line-1'),
    })
    for (const username of [body.mqtt.username, 'line-1']) {
      const agent = await connectMqtt(url, body.mqtt.topic_prefix, { username, password: body.mqtt.password })
      await agent.client.endAsync()
    }
  })

  it('are clients with an API key, under any agent’s id', async () => {
    const site = await hubs.site(hub)
    const client = await plainClient(site, 'press-controller_7')
    await client.client.subscribeAsync(`${client.prefix}/receipts`, { qos: 1 })
    const id = await client.send(readingsOf(site.identifier, 3, hubs.clock.now()))
    expect(await client.receipt(id)).toMatchObject({ accepted_count: 3 })
  })

  it('are no other clients', async () => {
    const [site, other] = [await hubs.site(hub), await hubs.site(hub)]
    const { password } = (await site.heartbeat({ agent_id: 'line-1', agent_version: '0.1.0' })).body.mqtt
    await refused(undefined, undefined)
    await refused('line-1', undefined)
    await refused('line-1', 'wrong')
    await refused('line-1', `${site.key.slice(0, -4)}AAAA`)
    await refused('line-1', `${password.slice(0, -4)}AAAA`)
    await refused('line-2', password)
    await refused(`${other.tenantId}/line-1`, password)
    await refused(`${other.tenantId}/line-1`, site.key)
    await refused('line 1', site.key)
    await refused('x'.repeat(65), site.key)
    await refused('a/b/c', site.key)
  })

  it('are neither clients with a revoked API key nor with a token that was issued to it', async () => {
    const site = await hubs.site(hub)
    const { password } = (await site.heartbeat({ agent_id: 'line-1', agent_version: '0.1.0' })).body.mqtt
    await site.call('DELETE', `settings/api-keys/${site.keyId}`)
    await refused('line-1', site.key)
    await refused('line-1', password)
  })

  it('stay connected only while their credential is valid: revocation and expiry close connections within seconds', async () => {
    const [revoked, expired, plain] = [await hubs.site(hub), await hubs.site(hub), await hubs.site(hub)]
    const ended = [await agentOf(revoked), await plainClient(revoked, 'plc'), await agentOf(expired)]
    const { password } = (await expired.heartbeat({ agent_id: 'line-2', agent_version: '0.1.0' })).body.mqtt
    const stays = await plainClient(plain, 'plc')
    await revoked.call('DELETE', `settings/api-keys/${revoked.keyId}`)
    hubs.clock.advance(3_601)
    await refused('line-2', password)
    await soon(() => expect(ended.map((client) => client.isOpen())).toEqual([false, false, false]))
    expect(stays.isOpen()).toBe(true)
  })
})

describe('topics', () => {
  it('of others can be neither published nor subscribed, wildcards included', async () => {
    const [{ site, agent }, other] = [await ready(), await ready()]
    const sibling = await agentOf(site, 'line-2')
    await sibling.client.subscribeAsync(`${sibling.prefix}/#`, { qos: 1 })
    const mine = agent.prefix
    const foreign = [
      '#',
      '+',
      '$SYS/#',
      '$share/haltless/haltless/v1/+/+/readings',
      'haltless/v1/#',
      `haltless/v1/${site.tenantId}/#`,
      `haltless/v1/${site.tenantId}/+/receipts`,
      `haltless/v1/+/line-1/receipts`,
      `${sibling.prefix}/receipts`,
      `${other.agent.prefix}/receipts`,
      `${other.agent.prefix}/#`,
      `${mine}/readings`,
      `${mine}/receipts/#`,
      `${mine}/constructor`,
    ]
    for (const topic of foreign)
      await expect(agent.client.subscribeAsync(topic, { qos: 1 }), topic).rejects.toThrow(/Unspecified error/)
    const granted = await agent.client.subscribeAsync([`${mine}/#`, `${mine}/+`, `${mine}/directives`], { qos: 1 })
    expect(granted.map(({ qos }) => qos)).toEqual([1, 1, 1])
    // what the other one is told stays his
    const id = await other.agent.send(readingsOf(other.site.identifier, 5, hubs.clock.now()))
    await other.agent.receipt(id)
    const own = await agent.send(readingsOf(site.identifier, 1, hubs.clock.now()))
    await agent.receipt(own)
    expect(agent.arrived.filter(({ topic }) => !topic.startsWith(`${mine}/`))).toEqual([])
    expect(sibling.arrived.filter(({ topic }) => !topic.endsWith('/directives'))).toEqual([])
  })

  it.each([
    ['another agent’s readings', (site: Site) => `${topicPrefix(site.tenantId, 'line-2')}/readings`],
    ['another tenant’s readings', () => `${topicPrefix(randomUUID(), 'line-1')}/readings`],
    ['its own receipts', (site: Site) => `${topicPrefix(site.tenantId, 'line-1')}/receipts`],
    ['its own directives', (site: Site) => `${topicPrefix(site.tenantId, 'line-1')}/directives`],
    ['an unknown topic of its own', (site: Site) => `${topicPrefix(site.tenantId, 'line-1')}/anything`],
    ['$SYS', () => '$SYS/broker/log'],
    ['a control character', (site: Site) => `${topicPrefix(site.tenantId, 'line-1')}/readings\u0007`],
    ['a thousand levels', () => 'a/'.repeat(1_000)],
  ])('a client that publishes to %s is put out', async (_name, topic) => {
    const { site, agent } = await ready()
    agent.client.publish(topic(site), 'x', { qos: 1, retain: true })
    await soon(() => expect(agent.isOpen()).toBe(false))
  })

  it('ignore the retain flag of clients', async () => {
    const { site, agent } = await ready()
    await agent.client.publishAsync(`${agent.prefix}/state`, '{"online":true}', { qos: 1, retain: true })
    await agent.client.endAsync()
    const watcher = await plainClient(site, 'line-1')
    await watcher.client.subscribeAsync(`${watcher.prefix}/#`, { qos: 1 })
    await soon(() => expect(watcher.arrived.length).toBeGreaterThan(0))
    expect(new Set(watcher.arrived.map(({ topic }) => topic))).toEqual(new Set([`${watcher.prefix}/directives`]))
  })

  it('of others refuse a last will', async () => {
    const [victim, attacker] = [await ready(), await hubs.site(hub)]
    const will = { topic: `${victim.agent.prefix}/receipts`, payload: Buffer.from('{}'), qos: 1 as const, retain: true }
    const client = await plainClient(attacker, 'line-1', { will })
    client.client.stream.destroy()
    // the same place is free again: the hub has dealt with the end of the connection
    await soon(async () => (await plainClient(attacker, 'line-1', { clientId: 'next' })).client.endAsync())
    const id = await victim.agent.send(readingsOf(victim.site.identifier, 1, hubs.clock.now()))
    await victim.agent.receipt(id)
    expect(victim.agent.arrived).toHaveLength(1)
  })
})

describe('an agent_id', () => {
  it('belongs to its live holder: a second one is refused at heartbeat and at login, and the fleet shows it', async () => {
    const site = await hubs.site(hub)
    const report = { agent_id: 'line-1', agent_version: '0.1.0' }
    const late = { ...report, instance_id: randomUUID(), hostname: 'copy' }
    const { password } = (await site.heartbeat(late)).body.mqtt
    hubs.clock.advance(121)
    const holder = await agentOf(site)
    expect(await site.heartbeat(late)).toMatchObject({ status: 409, body: { code: 'agent_id_in_use' } })
    const fleet = await site.call('GET', 'agent/fleet')
    expect(fleet.body.agents).toMatchObject([{ agent_id: 'line-1', conflict_hostname: 'copy' }])

    hubs.clock.advance(1)
    const before = fleet.body.agents[0].conflict_at
    const login = connectMqtt(url, '', { username: 'line-1', password })
    expect(await loginCode(login)).toBe(2)
    await soon(async () =>
      expect((await site.call('GET', 'agent/fleet')).body.agents[0].conflict_at > before, 'told again').toBe(true),
    )
    expect(await loginCode(plainClient(site, 'line-1'))).toBe(2)
    expect(holder.isOpen()).toBe(true)
  })

  it('that a second client asks for again and again is logged once', async () => {
    const lines: string[] = []
    const logging = await hubs.start({}, createLogger('warn', { write: (line) => void lines.push(line) }))
    const site = await hubs.site(logging)
    const at = `mqtt://127.0.0.1:${logging.mqttPort}`
    const login = (clientId: string) => connectMqtt(at, '', { username: 'line-1', password: site.key, clientId })
    const holder = await soon(() => login('holder'))
    for (const copy of ['copy-1', 'copy-2']) expect(await loginCode(login(copy))).toBe(2)
    expect(holder.isOpen()).toBe(true)
    const told = () => lines.map((line) => JSON.parse(line)).filter(({ msg }) => /a second agent with an agent_id/.test(msg))
    expect(told()).toMatchObject([{ tenant_id: site.tenantId, agent_id: 'line-1' }])
    await logging.stop()
  })

  it('is not lost by an instance that reconnects: the new connection stands at once', async () => {
    const site = await hubs.site(hub)
    const instance = randomUUID()
    const first = await agentOf(site, 'line-1', instance)
    const second = await agentOf(site, 'line-1', instance)
    await soon(() => expect(first.isOpen()).toBe(false))
    const id = await second.send(readingsOf(site.identifier, 1, hubs.clock.now()))
    await second.client.subscribeAsync(`${second.prefix}/receipts`, { qos: 1 })
    await second.send(readingsOf(site.identifier, 1, hubs.clock.now()), id)
    await second.receipt(id)
    expect(second.isOpen()).toBe(true)
  })

  it('of a plain client is told apart by the MQTT client id: its own takes over, another is refused', async () => {
    const site = await hubs.site(hub)
    const first = await plainClient(site, 'plc', { clientId: 'plc-a' })
    expect(await loginCode(plainClient(site, 'plc', { clientId: 'plc-b' }))).toBe(2)
    expect(first.isOpen()).toBe(true)
    const again = await plainClient(site, 'plc', { clientId: 'plc-a' })
    await soon(() => expect(first.isOpen()).toBe(false))
    expect(again.isOpen()).toBe(true)
  })

  it('of another tenant disconnects no client, nor does the same MQTT client id', async () => {
    const [one, two] = [await hubs.site(hub), await hubs.site(hub)]
    const clients = [await plainClient(one, 'plc', { clientId: 'same' }), await plainClient(two, 'plc', { clientId: 'same' })]
    const sibling = await plainClient(one, 'plc-2', { clientId: 'same' })
    for (const client of [...clients, sibling]) await client.client.subscribeAsync(`${client.prefix}/receipts`, { qos: 1 })
    expect([...clients, sibling].map((client) => client.isOpen())).toEqual([true, true, true])
  })
})

describe('heartbeats over MQTT', () => {
  it('directives are retained, so an agent receives them when it subscribes', async () => {
    const { agent } = await ready()
    await agent.client.subscribeAsync(`${agent.prefix}/directives`, { qos: 1 })
    const directive = await soon(() => {
      const found = agent.arrived.find(({ topic }) => topic === `${agent.prefix}/directives`)
      return found ?? Promise.reject(new Error('nothing yet'))
    })
    expect(JSON.parse((directive as Arrived).payload)).toEqual({
      status: 'ok',
      next_check_seconds: 60,
      latest_agent_version: '0.1.0',
      min_supported_version: '0.1.0',
      update_available: false,
      unsupported: false,
      wire_versions: [1, 2],
    })
  })

  it('telemetry counts as a heartbeat, and the agent receives the answer', async () => {
    const { site, agent } = await ready()
    await agent.client.subscribeAsync(`${agent.prefix}/directives`, { qos: 1 })
    await hubs.owner`update tenants set subscription_status = 'past_due' where id = ${site.tenantId}`
    hubs.clock.advance(30)
    const telemetry = { agent_id: 'line-1', agent_version: '0.0.9', buffer_count: 7, collectors: { opcua: 'running' } }
    const somebodyElse = { ...telemetry, agent_id: 'line-9' }
    for (const report of [somebodyElse, telemetry])
      await agent.client.publishAsync(`${agent.prefix}/telemetry`, JSON.stringify(report), { qos: 1 })
    await agent.client.publishAsync(`${agent.prefix}/telemetry`, 'no JSON', { qos: 1 })
    const told = { status: 'payment_required', update_available: true, unsupported: true }
    await soon(() => expect(JSON.parse(agent.arrived.at(-1)?.payload ?? '{}')).toMatchObject(told))
    const fleet = await site.call('GET', 'agent/fleet')
    expect(fleet.body).toMatchObject({
      total: 1,
      agents: [{ agent_id: 'line-1', agent_version: '0.0.9', buffer_count: 7, collectors: { opcua: 'running' }, online: true }],
    })
  })
})
