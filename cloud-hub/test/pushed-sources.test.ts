import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fault } from '@haltless/protocol'
import { afterAll, afterEach, expect, it, onTestFinished } from 'vitest'
import { stringify } from 'yaml'
import { type ModbusImage, startModbusServer } from '../../edge-agent/src/plant/modbus-server.ts'
import { endAll, run, until } from './processes.ts'
import { type Site, useRunningHubs } from './running-hub.ts'

const folder = await mkdtemp(path.join(tmpdir(), 'pushed-'))
afterAll(() => rm(folder, { recursive: true, force: true }))
afterEach(endAll)
const hubs = useRunningHubs({ DATA_DIR: folder, HEARTBEAT_SECONDS: '1' })

/** A device whose first holding register counts the polls. */
async function device(port = 0) {
  const polls: number[] = []
  const image = (): ModbusImage => {
    polls.push(Date.now())
    return { holding: new Map([[0, polls.length]]), coil: new Map(), discrete: new Map(), input: new Map() }
  }
  const server = await startModbusServer('127.0.0.1', port, new Map([[1, image]]))
  onTestFinished(() => server.stop())
  return { ...server, polls }
}
const registers = [{ address: 0, metric_name: 'count', unit: 'pieces' }]

async function startAgent(name: string, url: string, key: string) {
  const file = path.join(folder, `${name}.yaml`)
  const dataDir = path.join(folder, name)
  await writeFile(file, stringify({ hub: { url, api_key: key }, agent_id: name, data_dir: dataDir }))
  return { ...run('edge-agent/src/main.ts', ['run', '--config', file]), dataDir }
}

const create = async (site: Site, agent: string, port: number, values: object = {}) => {
  const body = {
    machine_id: site.machineId,
    name: 'PLC',
    protocol: 'modbus',
    host: '127.0.0.1',
    port,
    poll_interval_seconds: 5,
    config: { agent_id: agent, registers },
    ...values,
  }
  const made = await site.call('POST', 'ingest-sources', body)
  expect([made.status, made.body]).toEqual([201, expect.anything()])
  return made.body.id as string
}
const read = async (site: Site, id: string) => (await site.call('GET', `ingest-sources/${id}`)).body
const setOf = async (site: Site, agent: string) =>
  (await site.call('GET', 'agent/fleet')).body.agents.find((each: { agent_id: string }) => each.agent_id === agent)?.sources
const runsNewest = (site: Site, agent: string) =>
  until('the agent runs the newest set', async () => {
    const set = await setOf(site, agent)
    return set && set.running_revision === set.revision
  })

it('a source made in the cloud delivers readings through an agent inside the plant', { timeout: 90_000 }, async () => {
  const hub = await hubs.start()
  const site = await hubs.site(hub)
  const agent = await startAgent('line-1', hub.url, site.key)
  await until('the agent is known', async () => setOf(site, 'line-1'))
  const plc = await device()

  const id = await create(site, 'line-1', plc.port)
  // told over MQTT, not with the next heartbeat
  await until('its readings arrive', async () => (await site.stored()) > 0)
  await until('the source says so', async () => (await read(site, id)).last_polled_at)
  expect(await read(site, id)).toMatchObject({ last_error: null, config: { agent_id: 'line-1' } })
  await runsNewest(site, 'line-1')
  const { body: tested } = await site.call('POST', `ingest-sources/${id}/test-connection`)
  expect(tested).toEqual({
    success: true,
    message: expect.stringMatching(/^Agent line-1 polls this source; .* answered at 2/),
    fault: null,
    polled_at: expect.any(String),
  })

  // a device that goes away and one that never was are told by the plant's own words
  await plc.stop()
  await until('the loss is told', async () => (await read(site, id)).last_error)
  expect((await read(site, id)).last_error).toMatch(/connection (refused|closed)/)
  expect((await site.call('POST', `ingest-sources/${id}/test-connection`)).body.message).toMatch(/^Agent line-1 reports: /)
  const other = await device()
  await site.call('PUT', `ingest-sources/${id}`, { port: other.port })
  await until('the other device is polled', () => other.polls.length > 0)
  await until('all is well again', async () => (await read(site, id)).last_error === null)

  await site.call('PUT', `ingest-sources/${id}`, { is_active: false })
  await runsNewest(site, 'line-1')
  const still = other.polls.length
  await site.call('PUT', `ingest-sources/${id}`, { is_active: true })
  await until('it is polled again', () => other.polls.length > still)
  await site.call('DELETE', `ingest-sources/${id}`)
  await runsNewest(site, 'line-1')
  expect(JSON.parse(await readFile(path.join(agent.dataDir, 'sources.json'), 'utf8')).sources).toEqual([])
})

it('an agent that was offline receives sources that were created meanwhile, and keeps them while the hub is down', {
  timeout: 90_000,
}, async () => {
  const hub = await hubs.start()
  const site = await hubs.site(hub)
  const plc = await device()
  const id = await create(site, 'line-2', plc.port)
  expect((await read(site, id)).last_error).toBe('agent line-2 polls this source, and has not reported yet')
  const first = await startAgent('line-2', hub.url, site.key)
  await until('it polls', () => plc.polls.length > 0)
  await until('the hub knows', async () => (await read(site, id)).last_polled_at)
  await first.end('SIGKILL')
  await until('its silence shows', async () => /last reported at/.test((await read(site, id)).last_error ?? ''))
  await hub.stop()
  const before = plc.polls.length
  await startAgent('line-2', hub.url, site.key)
  await until('it polls without the hub', () => plc.polls.length > before)
})

it('a heartbeat is answered with the sources of its own agent, only when it runs others', { timeout: 60_000 }, async () => {
  const hub = await hubs.start()
  const site = await hubs.site(hub)
  const secret = { security_mode: 'SignAndEncrypt', security_policy: 'Basic256Sha256', username: 'u', password: 'top-secret-7' }
  const id = await create(site, 'line-3', 4840, { protocol: 'opcua', config: { agent_id: 'line-3', ...secret } })
  const idle = await create(site, 'line-3', 502, { is_active: false })
  const beat = async (agent_id: string, sources?: object) =>
    (await site.heartbeat({ agent_id, agent_version: '1.0.0', ...(sources && { sources }) })).body.sources
  const set = await beat('line-3', { revision: 0, states: [] })
  expect(set).toEqual({
    revision: 2,
    sources: [
      {
        source_id: id,
        name: 'PLC',
        machine_identifier: site.identifier,
        protocol: 'opcua',
        host: '127.0.0.1',
        port: 4840,
        poll_interval_seconds: 5,
        config: secret,
      },
    ],
  })
  const at = new Date().toISOString()
  const states = [
    { source_id: id, error: 'connection refused', fault: fault('connection_refused'), polled_at: at },
    { source_id: idle, error: 'not mine', polled_at: null },
  ]
  expect(await beat('line-3', { revision: 2, states })).toBeUndefined()
  expect(await read(site, id)).toMatchObject({
    last_error: 'connection refused',
    last_fault: fault('connection_refused'),
    last_polled_at: at,
  })
  // one that takes none, and another
  expect(await beat('line-3')).toBeUndefined()
  expect(await beat('line-4', { revision: 0, states: [{ ...states[0], error: 'forged' }] })).toBeUndefined()
  expect((await read(site, id)).last_error).toBe('connection refused')
  // a database that was restored knows less than the agent: it is overtaken
  expect(await beat('line-3', { revision: 40, states: [] })).toMatchObject({ revision: 41, sources: [{ source_id: id }] })
  expect(await beat('line-3', { revision: 41, fault: 'the disk is full', states: [] })).toBeUndefined()
  expect((await read(site, id)).last_error).toBe('agent line-3 could not apply its newest settings: the disk is full')
  const revision_fault = fault('disk_full')
  const refused = { revision: 41, fault: 'disk full', revision_fault, states: [] }
  expect(await beat('line-3', refused)).toBeUndefined()
  expect((await read(site, id)).last_fault).toEqual(fault('agent_settings_refused', { agent: 'line-3', reason: revision_fault }))
  expect(await setOf(site, 'line-3')).toMatchObject({ fault: 'disk full', revision_fault })
  // a fault that breaks the rules costs neither the report nor its text
  const broken = { source_id: id, error: 'no answer in time', fault: { ...revision_fault, code: '' }, polled_at: at }
  expect(await beat('line-3', { revision: 41, states: [broken] })).toBeUndefined()
  expect(await read(site, id)).toMatchObject({ last_error: 'no answer in time', last_fault: null })
})
