import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fault } from '@haltless/protocol'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { startModbusServer } from '../../edge-agent/src/plant/modbus-server.ts'
import { DataType, OpcUaSimulator } from '../../edge-agent/test/support/opcua-simulator.ts'
import type { RunningHub } from '../src/hub.ts'
import { endAll, run, until } from './processes.ts'
import { type Site, useRunningHubs } from './running-hub.ts'

const folder = await mkdtemp(path.join(tmpdir(), 'browse-'))
const hubs = useRunningHubs({ DATA_DIR: folder, HEARTBEAT_SECONDS: '1' })
let hub: RunningHub
let opcua: OpcUaSimulator
let modbus: Awaited<ReturnType<typeof startModbusServer>>

beforeAll(async () => {
  hub = await hubs.start()
  opcua = await OpcUaSimulator.start({ dir: folder })
  const press = opcua.folder('Press 1')
  opcua.addTo(press, 'OilTemperature', DataType.Double, 41.5, '°C')
  opcua.addTo(press, 'Recipe', DataType.String, 'steel')
  const data = Buffer.alloc(4)
  data.writeFloatBE(72.9)
  const holding = new Map([
    [100, data.readUInt16BE(0)],
    [101, data.readUInt16BE(2)],
  ])
  const image = { holding, input: new Map(), coil: new Map([[3, 1]]), discrete: new Map() }
  modbus = await startModbusServer('127.0.0.1', 0, new Map([[1, () => image]]))
})
afterEach(endAll)
afterAll(async () => {
  await opcua.stop()
  await modbus.stop()
  await rm(folder, { recursive: true, force: true })
})

async function agentWith(name: string, settings: object = {}): Promise<Site> {
  const site = await hubs.site(hub)
  const file = path.join(folder, `${name}.yaml`)
  const config = {
    hub: { url: hub.url, api_key: site.key },
    agent_id: name,
    data_dir: path.join(folder, name),
    local_page: { enabled: false },
  }
  await writeFile(file, stringify({ ...config, ...settings }))
  run('edge-agent/src/main.ts', ['run', '--config', file])
  await until('the agent is known', async () => (await site.call('GET', 'agent/fleet')).body.agents.length > 0)
  return site
}
async function source(site: Site, agentId: string | undefined, values: object): Promise<string> {
  const { config = {}, ...rest } = values as { config?: object }
  const body = {
    machine_id: site.machineId,
    name: 'PLC',
    host: '127.0.0.1',
    poll_interval_seconds: 5,
    ...rest,
    config: { ...config, ...(agentId && { agent_id: agentId }) },
  }
  const made = await site.call('POST', 'ingest-sources', body)
  expect([made.status, made.body]).toEqual([201, expect.anything()])
  if (agentId)
    await until('the agent runs it', async () => {
      const [agent] = (await site.call('GET', 'agent/fleet')).body.agents
      return agent.sources && agent.sources.running_revision === agent.sources.revision
    })
  return made.body.id
}
/** The process that reads OPC UA has started: a browse has ten seconds. */
const polled = (site: Site, id: string) =>
  until('the source is polled', async () => (await site.call('GET', `ingest-sources/${id}`)).body.last_polled_at)
const browse = (site: Site, id: string, query: object = {}) => site.call('POST', `ingest-sources/${id}/browse`, query)

describe('browse of a source', () => {
  it('lists what is on an OPC UA server, and what a Modbus register holds, through the agent that polls them', async () => {
    const site = await agentWith('line-1')
    const server = await source(site, 'line-1', { protocol: 'opcua', port: opcua.port })
    await polled(site, server)
    const found = await browse(site, server, { search: 'press' })
    expect(found).toMatchObject({ status: 200, body: { error: null, has_more: false, is_complete: true, registers: null } })
    expect(found.body.nodes).toEqual([
      {
        node_id: `nsu=${opcua.namespaceUri};s=Press 1.OilTemperature`,
        path: ['Press 1', 'OilTemperature'],
        type: 'Double',
        value: '41.5',
        unit: '°C',
        fault: null,
        reason: null,
      },
      {
        node_id: `nsu=${opcua.namespaceUri};s=Press 1.Recipe`,
        path: ['Press 1', 'Recipe'],
        type: 'String',
        value: 'steel',
        unit: null,
        fault: 'the node holds a text, not a number',
        reason: fault('opcua_node_is_no_number', { type: 'a text' }),
      },
    ])
    const [first, second] = [
      await browse(site, server, { search: 'press', page_size: 1 }),
      await browse(site, server, { search: 'press', page_size: 1, page: 2 }),
    ]
    expect([first.body.has_more, second.body.nodes[0].path.at(-1)]).toEqual([true, 'Recipe'])
    expect((await browse(site, server, { under: 'ns=1;s=None' })).body.error).toMatch(/the server has no such node/)

    const plc = await source(site, 'line-1', { protocol: 'modbus', port: modbus.port })
    const { body } = await browse(site, plc, { address: 100 })
    expect(body.registers.words).toEqual([0x4291, 0xcccd])
    expect(body.registers.values).toContainEqual({
      data_type: 'float32',
      byte_order: 'ABCD',
      value: Math.fround(72.9),
      is_likely: true,
    })
    expect((await browse(site, plc, { table: 'coil', address: 3 })).body.registers).toMatchObject({ words: [1] })
    expect((await browse(site, plc, { address: 500 })).body).toMatchObject({
      error: expect.stringMatching(/no such register/),
      registers: null,
    })
    expect(await browse(site, plc)).toMatchObject({ status: 422, body: { errors: [{ path: 'body.address' }] } })
    const events = (await site.call('GET', 'audit-log?page_size=50')).body.items
    expect(events).toContainEqual(
      expect.objectContaining({ action: 'source.browsed', after: expect.objectContaining({ search: 'press' }) }),
    )
  })

  it('of two people at once, one gets 409 and the advice to wait', async () => {
    const site = await agentWith('line-2')
    const server = await source(site, 'line-2', { protocol: 'opcua', port: opcua.port })
    await polled(site, server)
    const answers = await Promise.all([browse(site, server), browse(site, server)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    expect(answers.find(({ status }) => status === 409)?.body.code).toBe('agent_browsing')
    expect((await browse(site, server)).status).toBe(200)
  })

  it('reaches only what the plant allows', async () => {
    const site = await agentWith('line-3', { remote: { allow: [{ network: '10.0.0.0/8' }] } })
    const server = await source(site, 'line-3', { protocol: 'opcua', port: opcua.port })
    expect((await browse(site, server)).body).toMatchObject({ error: expect.stringMatching(/remote.allow/), nodes: [] })
  })

  it('says what is wrong with the agent', async () => {
    const site = await hubs.site(hub)
    const report = { agent_id: 'line-4', agent_version: '0.1.0', sources: { revision: 0, states: [] } }
    const body = {
      machine_id: site.machineId,
      name: 'PLC',
      protocol: 'opcua',
      host: '127.0.0.1',
      port: 4840,
      config: { agent_id: 'line-4' },
    }
    const { id } = (await site.call('POST', 'ingest-sources', body)).body
    expect(await browse(site, id)).toMatchObject({
      status: 409,
      body: {
        code: 'agent_not_ready',
        detail: expect.stringMatching(/has not reported yet/),
        params: { reason: { code: expect.any(String), source: expect.any(String) } },
      },
    })
    // one that is connected by heartbeats alone
    const beating = setInterval(() => void site.heartbeat(report), 300)
    await site.heartbeat(report)
    try {
      expect(await browse(site, id)).toMatchObject({ status: 503, body: { code: 'agent_silent' } })
    } finally {
      clearInterval(beating)
    }
    await site.call('PUT', `ingest-sources/${id}`, { is_active: false })
    expect(await browse(site, id)).toMatchObject({ status: 409, body: { detail: expect.stringMatching(/not active/) } })
  })

  it('without an agent tells nothing about addresses, after the time of a connection test', async () => {
    const site = await hubs.site(hub)
    const id = await source(site, undefined, { protocol: 'opcua', host: '192.0.2.1', port: 4840 }).catch(() => null)
    if (id === null) return
    const startedAt = performance.now()
    expect((await browse(site, id)).body.error).toMatch(/^Nothing answers as OPC UA at 192\.0\.2\.1:4840/)
    expect(performance.now() - startedAt).toBeGreaterThan(7_500)
  })

  it('an answer without a waiting request is dropped, and another agent cannot give one', async () => {
    const site = await hubs.site(hub)
    const answer = { error: null, nodes: [], has_more: false, is_complete: true, registers: null }
    const send = (body: object) =>
      fetch(`${hub.url}/api/v1/agent/browse`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': site.key },
        body: JSON.stringify(body),
      })
    const request_id = '0b6f2b4e-7f43-4b93-9d6b-3c8a52f6f001'
    expect((await send({ agent_id: 'line-9', request_id, answer })).status).toBe(204)
    expect((await send({ agent_id: 'line-9', request_id, answer: { ...answer, nodes: Array(201).fill({}) } })).status).toBe(422)
  })
})
