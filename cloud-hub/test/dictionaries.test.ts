import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { deflateRawSync } from 'node:zlib'
import {
  BatchDictionary,
  encodeDictionary,
  encodeDictionaryBatch,
  type Reading,
  type Receipt,
  type Series,
  toColumns,
  topicPrefix,
} from '@haltless/protocol'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { purgeDictionaries } from '../src/features/telemetry/dictionaries/index.ts'
import type { RunningHub } from '../src/hub.ts'
import { connectMqtt, type MqttAgent, readingsOf } from './mqtt-agent.ts'
import { type Site, useRunningHubs } from './running-hub.ts'

const hubs = useRunningHubs()
let hub: RunningHub
beforeAll(async () => {
  hub = await hubs.start()
})

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest()
const dictionaryOf = (series: readonly Series[]) => BatchDictionary.of(series, sha256)

/** An agent that has sent a heartbeat, connected to a hub. */
async function ready(at = hub, site?: Site, agent_id = 'line-1', instance_id: string = randomUUID()) {
  const tenant = site ?? (await hubs.site(at))
  const { body } = await tenant.heartbeat({ agent_id, agent_version: '0.1.0', instance_id })
  const { username, password, topic_prefix } = body.mqtt
  const agent = await connectMqtt(`mqtt://127.0.0.1:${at.mqttPort}`, topic_prefix, { username, password })
  await agent.client.subscribeAsync(`${agent.prefix}/receipts`, { qos: 1 })
  return { site: tenant, agent, instance: instance_id, versions: body.wire_versions as number[] }
}

async function publish(agent: MqttAgent, id: string, bytes: Uint8Array): Promise<Receipt> {
  await agent.client.publishAsync(`${agent.prefix}/readings`, Buffer.from(bytes), { qos: 1 })
  return agent.receipt(id)
}
function announce(agent: MqttAgent, dictionary: BatchDictionary): Promise<Receipt> {
  const id = randomUUID()
  return publish(agent, id, encodeDictionary(id, dictionary, deflateRawSync))
}
function send(agent: MqttAgent, dictionary: BatchDictionary, readings: readonly Reading[]): Promise<Receipt> {
  const batch = { batchId: randomUUID(), ...toColumns(readings) }
  return publish(agent, batch.batchId, encodeDictionaryBatch(batch, dictionary, Uint32Array.from(batch.series.keys())))
}

/** A reading of each metric of the machine of a site, and their dictionary. */
function plant(site: Site, metrics = ['temperature', 'pressure', 'speed']) {
  const [at] = readingsOf(site.identifier, 1, hubs.clock.now()) as [Reading]
  const readings = metrics.map((metric, i) => ({ ...at, metric, value: 20 + i / 4 }))
  return { readings, dictionary: dictionaryOf(toColumns(readings).series) }
}
const namesOf = async ({ tenantId }: Site, agentId = 'line-1') =>
  (
    await hubs.owner<{ name: string }[]>`
      select encode(name, 'hex') as name from agent_dictionaries where tenant_id = ${tenantId} and agent_id = ${agentId} order by used_at, name`
  ).map(({ name }) => name)

describe('a batch of version 2', () => {
  it('is stored like one with names, once its agent has announced the dictionary', async () => {
    const { site, agent, versions } = await ready()
    expect(versions).toEqual([1, 2])
    const { readings, dictionary } = plant(site)
    expect(await send(agent, dictionary, readings)).toMatchObject({ accepted_count: 0, refused: { code: 'unknown_dictionary' } })
    expect(await announce(agent, dictionary)).toEqual({
      batch_id: expect.any(String),
      accepted_count: 0,
      rejected_count: 0,
      errors: [],
    })
    for (const _ of [1, 2])
      expect(await send(agent, dictionary, readings)).toMatchObject({ accepted_count: 3, rejected_count: 0 })
    expect(await site.stored()).toBe(3)
    const { body } = await site.call('GET', `machines/${site.machineId}/readings?metric=pressure`)
    expect(body[0].data_points.map(({ value }: { value: number }) => value)).toEqual([20.25])
  })

  it('names rejected readings by their index in the batch', async () => {
    const { site, agent } = await ready()
    const { readings } = plant(site)
    readings[1] = { ...(readings[1] as Reading), machine: 'nobody' }
    const dictionary = dictionaryOf(toColumns(readings).series)
    await announce(agent, dictionary)
    const receipt = await send(agent, dictionary, readings)
    expect(receipt).toMatchObject({
      accepted_count: 2,
      errors: [{ index: 1, code: 'unknown_machine', machine_identifier: 'nobody' }],
    })
  })

  it('follows a tag mapping that was confirmed after its dictionary was announced', async () => {
    const { site, agent } = await ready()
    const { readings } = plant(site, ['raw'])
    const tagged = readings.map((reading) => ({ ...reading, rawTag: 'ns=2;s=T' }))
    const dictionary = dictionaryOf(toColumns(tagged).series)
    await announce(agent, dictionary)
    await send(agent, dictionary, tagged)
    await site.call('POST', 'tag-mappings/auto-map', { tags: [{ machine_id: site.machineId, raw_tag: 'ns=2;s=T' }] })
    const [mapping] = (await site.call('GET', `machines/${site.machineId}/tag-mappings`)).body
    await site.call('PATCH', `tag-mappings/${mapping.id}`, { standardized_name: 'oil_temperature', unit: 'celsius' })
    expect((await site.call('POST', `tag-mappings/${mapping.id}/confirm`)).status).toBe(200)
    const later = tagged.map((reading) => ({ ...reading, timestamp: reading.timestamp + 1 }))
    expect(await send(agent, dictionary, later)).toMatchObject({ accepted_count: 1 })
    const { body } = await site.call('GET', `machines/${site.machineId}/readings?metric=oil_temperature`)
    expect(body[0].data_points).toHaveLength(1)
  })

  it('is read by every replica and after a restart', async () => {
    const first = await ready()
    const { readings, dictionary } = plant(first.site)
    await announce(first.agent, dictionary)
    await first.agent.client.endAsync(true)
    const other = await hubs.start()
    const { agent } = await ready(other, first.site, 'line-1', first.instance)
    expect(await send(agent, dictionary, readings)).toMatchObject({ accepted_count: 3 })
    await other.stop()
  })

  it('does not resolve the dictionary of another agent or tenant', async () => {
    const { site, agent } = await ready()
    const { readings, dictionary } = plant(site)
    await announce(agent, dictionary)
    expect(await send(agent, dictionary, readings)).toMatchObject({ accepted_count: 3 })
    for (const other of [await ready(hub, site, 'line-2'), await ready()])
      expect(await send(other.agent, dictionary, readings)).toMatchObject({ refused: { code: 'unknown_dictionary' } })
  })

  it('that refers to another dictionary of its agent whose name begins alike is never read with the wrong one', async () => {
    const { site, agent } = await ready()
    const { readings, dictionary } = plant(site)
    await announce(agent, dictionary)
    const twin = plant(site, ['a', 'b', 'c']).dictionary
    const name = Buffer.from([...dictionary.name.subarray(0, 4), ...randomBytes(12)])
    await hubs.owner`insert into agent_dictionaries values (${site.tenantId}, 'line-1', ${name}, ${deflateRawSync(twin.content)}, now())`
    expect(await send(agent, dictionary, readings)).toMatchObject({ accepted_count: 3 })
    const { body } = await site.call('GET', `machines/${site.machineId}/readings?metric=a`)
    expect(body).toEqual([])
  })
})

describe('the hub keeps', () => {
  it('8 dictionaries of an agent, and deletes the one that was unused for longest', async () => {
    const { site, agent, instance } = await ready()
    const all = Array.from({ length: 10 }, (_, i) => plant(site, [`metric_${i}`]))
    for (const [i, { dictionary, readings }] of all.entries()) {
      hubs.clock.advance(1)
      // the first is used again and again
      if (i > 0) await announce(agent, (all[0] as (typeof all)[0]).dictionary)
      await announce(agent, dictionary)
      expect(await send(agent, dictionary, readings)).toMatchObject({ accepted_count: 1 })
    }
    const kept = [0, 3, 4, 5, 6, 7, 8, 9].map((i) => (all[i] as (typeof all)[0]).dictionary.id)
    expect((await namesOf(site)).sort()).toEqual(kept.sort())
    // another process has no copy of what was deleted
    const other = await hubs.start()
    const again = await ready(other, site, 'line-1', instance)
    const [, gone] = all as [unknown, (typeof all)[0]]
    expect(await send(again.agent, gone.dictionary, gone.readings)).toMatchObject({ refused: { code: 'unknown_dictionary' } })
    await other.stop()
  })

  it('1 MB of dictionaries of an agent as they are stored', async () => {
    const { site, agent } = await ready()
    const large = () =>
      dictionaryOf(
        Array.from({ length: 1_000 }, () => ({
          machine: randomBytes(300).toString('base64'),
          metric: 'm',
          unit: 'u',
          rawTag: null,
        })),
      )
    const three = [large(), large(), large(), large()]
    for (const dictionary of three) {
      hubs.clock.advance(1)
      await announce(agent, dictionary)
    }
    expect(await namesOf(site)).toEqual(three.slice(-3).map(({ id }) => id))
  })

  it('30 announcements of an agent in ten minutes, and refuses more until later', async () => {
    const { agent, site } = await ready()
    const { dictionary } = plant(site)
    for (let n = 0; n < 30; n++) expect((await announce(agent, dictionary)).refused).toBeUndefined()
    expect((await announce(agent, dictionary)).refused).toMatchObject({ code: 'too_many_dictionaries' })
    hubs.clock.advance(600)
    expect((await announce(agent, dictionary)).refused).toBeUndefined()
  })

  it('none of an agent that it does not know, and none that cannot be read', async () => {
    const site = await hubs.site(hub)
    const options = { username: 'stranger', password: site.key }
    const agent = await connectMqtt(`mqtt://127.0.0.1:${hub.mqttPort}`, topicPrefix(site.tenantId, 'stranger'), options)
    await agent.client.subscribeAsync(`${agent.prefix}/receipts`, { qos: 1 })
    const { dictionary } = plant(site)
    expect(await announce(agent, dictionary)).toMatchObject({ refused: { code: 'unknown_agent' } })
    const id = randomUUID()
    const bytes = encodeDictionary(id, dictionary, deflateRawSync)
    bytes[bytes.length - 1] = (bytes.at(-1) as number) ^ 1
    expect(await publish(agent, id, bytes)).toMatchObject({ refused: { code: 'damaged' } })
    expect(await namesOf(site, 'stranger')).toEqual([])
  })

  it('what was used within 30 days', async () => {
    const { site, agent } = await ready()
    const { dictionary } = plant(site)
    await announce(agent, dictionary)
    const later = (days: number) => new Date(hubs.clock.now().getTime() + days * 86_400_000)
    const system = hubs.owner as never
    await purgeDictionaries(system, later(29))
    expect(await namesOf(site)).toHaveLength(1)
    await purgeDictionaries(system, later(31))
    expect(await namesOf(site)).toEqual([])
  })
})

describe('the announced versions', () => {
  it('are those that every hub seen in the last hour reads', async () => {
    const site = await hubs.site(hub)
    const versions = async () => (await site.heartbeat({ agent_id: 'line-1', agent_version: '0.1.0' })).body.wire_versions
    expect(await versions()).toEqual([1, 2])
    const old = randomUUID()
    onTestFinished(() => void hubs.owner`delete from hub_replicas where id = ${old}`.catch(() => {}))
    // as a hub of before writes it
    await hubs.owner`insert into hub_replicas values (${old}, now() - interval '59 minutes')`
    expect(await versions()).toEqual([1])
    const { agent } = await ready(hub, site, 'line-1')
    await agent.client.subscribeAsync(`${agent.prefix}/directives`, { qos: 1 })
    await agent.client.publishAsync(`${agent.prefix}/telemetry`, JSON.stringify({ agent_id: 'line-1', agent_version: '0.1.0' }))
    const directives = () => agent.arrived.filter(({ topic }) => topic.endsWith('/directives')).at(-1)
    await expect.poll(() => JSON.parse(directives()?.payload ?? '{}').wire_versions).toEqual([1])
    await hubs.owner`update hub_replicas set seen_at = now() - interval '61 minutes' where id = ${old}`
    expect(await versions()).toEqual([1, 2])
  })
})
