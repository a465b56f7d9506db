import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, it, onTestFinished, vi } from 'vitest'
import { type ModbusImage, startModbusServer } from '../../edge-agent/src/plant/modbus-server.ts'
import { DataType, OpcUaSimulator } from '../../edge-agent/test/support/opcua-simulator.ts'
import { exceptionAnswer, rightAnswer, rtuFrame, ScriptedModbus } from '../../edge-agent/test/support/scripted-modbus.ts'
import { loadSources } from '../src/features/telemetry/polling/leases.ts'
import { rememberedNamespaces } from '../src/features/telemetry/polling/namespaces.ts'
import type { RunningHub } from '../src/hub.ts'
import { type Site, useRunningHubs } from './running-hub.ts'

const dataDir = await mkdtemp(path.join(tmpdir(), 'polling-'))
afterAll(() => rm(dataDir, { recursive: true, force: true }))
const hubs = useRunningHubs({ OUTBOUND_ALLOW: '127.0.0.0/8', DATA_DIR: dataDir })

/** One device whose first holding register counts the polls. */
async function device() {
  const polls: number[] = []
  const image = (): ModbusImage => {
    polls.push(Date.now())
    return { holding: new Map([[0, polls.length % 65_536]]), coil: new Map(), discrete: new Map(), input: new Map() }
  }
  const server = await startModbusServer('127.0.0.1', 0, new Map([[1, image]]))
  onTestFinished(() => server.stop())
  return { ...server, polls }
}
const registers = [{ address: 0, metric_name: 'count', unit: 'pieces' }]

async function create(site: Site, values: object): Promise<string> {
  const common = { machine_id: site.machineId, name: 'PLC', protocol: 'modbus', host: '127.0.0.1', poll_interval_seconds: 5 }
  const { status, body } = await site.call('POST', 'ingest-sources', { ...common, config: { registers }, ...values })
  expect([status, body]).toEqual([201, expect.anything()])
  return body.id
}
const sourceOf = async (site: Site, id: string) => (await site.call('GET', `ingest-sources/${id}`)).body
const until = <T>(check: () => T | Promise<T>, timeout = 60_000) => vi.waitFor(check, { timeout, interval: 50 })
async function start(): Promise<RunningHub> {
  const hub = await hubs.start()
  onTestFinished(() => hub.stop())
  return hub
}
const leaseholders = async (ids: string[]) =>
  (
    await hubs.owner<{ id: string; by: string | null }[]>`
    select id, leased_by as by from ingest_sources where id = any(${ids}::uuid[]) order by id`
  ).map(({ by }) => by)

it('two hubs poll each source once per interval, and share them', { timeout: 90_000 }, async () => {
  const [one, two] = [await start(), await start()]
  const site = await hubs.site(one)
  // an odd number: each hub has room for one that the other polls
  const devices = await Promise.all([device(), device(), device()])
  const ids: string[] = []
  for (const { port } of devices) ids.push(await create(site, { port }))
  await until(async () => {
    const holders = await leaseholders(ids)
    expect([new Set(holders).size, holders.includes(null)]).toEqual([2, false])
  })
  // sources may have moved while the shares settled: from here on they stay
  const from = Date.now()
  const expectOncePerInterval = () => {
    const most = Math.ceil((Date.now() - from) / 5_000) + 1
    for (const { polls } of devices) expect(polls.filter((at) => at > from).length).toBeLessThanOrEqual(most)
  }
  await until(() => {
    for (const { polls } of devices) expect(polls.filter((at) => at > from).length).toBeGreaterThanOrEqual(4)
  })
  expectOncePerInterval()
  const polled = devices.reduce((sum, { polls }) => sum + polls.length, 0)
  await until(async () => {
    // all three count for one series, and two of one millisecond are one reading
    expect(await site.stored()).toBeGreaterThan(polled / 2)
    for (const id of ids) expect(await sourceOf(site, id)).toMatchObject({ last_polled_at: expect.any(String), last_error: null })
  })

  // the interval holds also where a source moves to another hub
  await two.stop()
  await until(async () => expect(new Set(await leaseholders(ids)).size).toBe(1))
  const counts = devices.map(({ polls }) => polls.length)
  await until(() => expect(devices.every(({ polls }, i) => polls.length > (counts[i] as number))).toBe(true))
  expectOncePerInterval()
})

it('polling follows changes at once: another address, deactivated, machine deactivated, deleted', async () => {
  const hub = await start()
  const site = await hubs.site(hub)
  const [first, second, other] = [await device(), await device(), await device()]
  const machine = { name: 'Press 2', machine_identifier: `other-${site.identifier}`, protocol: 'modbus_tcp' }
  const { body: press } = await site.call('POST', 'machines', machine)
  await create(site, { machine_id: press.id, port: other.port })
  const id = await create(site, { port: first.port })
  await until(() => expect(first.polls.length).toBeGreaterThan(0))
  const put = (body: object) => site.call('PUT', `ingest-sources/${id}`, body)
  await put({ port: second.port })
  await until(() => expect(second.polls.length).toBeGreaterThan(0))
  const polled = async (change: () => Promise<unknown>) => {
    await change()
    // after a poll under way has ended there is none while another source is polled twice
    await until(async () => {
      const [before, others] = [second.polls.length, other.polls.length]
      await until(() => expect(other.polls.length).toBeGreaterThanOrEqual(others + 2))
      expect(second.polls.length).toBe(before)
    })
    return second.polls.length
  }
  const still = await polled(() => put({ is_active: false }))
  await put({ is_active: true })
  await until(() => expect(second.polls.length).toBeGreaterThan(still))
  const stopped = await polled(() => site.call('PATCH', `machines/${site.machineId}`, { is_active: false }))
  await site.call('PATCH', `machines/${site.machineId}`, { is_active: true })
  await until(() => expect(second.polls.length).toBeGreaterThan(stopped))
  await polled(() => site.call('DELETE', `ingest-sources/${id}`))
  expect(first.polls.length).toBeLessThan(3)
})

it('a hub polls no source that another leases, and takes it over when that hub is gone', { timeout: 90_000 }, async () => {
  const hub = await start()
  const site = await hubs.site(hub)
  const { port, polls } = await device()
  const id = await create(site, { port })
  await until(() => expect(polls.length).toBeGreaterThan(0))
  // as if this hub had hung for longer than its lease, and another had taken it and then been killed
  await hubs.owner`update ingest_sources set leased_by = gen_random_uuid(), leased_until = now() + interval '19 seconds' where id = ${id}`
  const taken = Date.now()
  await until(() => expect(polls.some((at) => at > taken + 18_500)).toBe(true), 40_000)
  // one more poll of its own until it has seen that
  expect(polls.filter((at) => at > taken + 5_500 && at < taken + 18_500)).toEqual([])
})

it('a hub reads Modbus RTU of a device with its own unit id and limits, and stores no value that is none', async () => {
  const site = await hubs.site(await start())
  const limit = 4
  const device = await new ScriptedModbus((asked, _, socket) => {
    const answer = asked.quantity > limit ? exceptionAnswer(asked, 3) : rightAnswer(asked)
    answer[6] = 0
    socket.write(rtuFrame(answer))
  }, 'rtu').listen()
  onTestFinished(() => device.close())
  const tag = (address: number, more: object) => ({ address, data_type: 'uint16', unit: 'pieces', ...more })
  const config = {
    ...{ framing: 'rtu', unit_id: 7, answers_as: 0, max_registers: limit },
    registers: [
      ...Array.from({ length: 8 }, (_, i) => tag(i, { metric_name: `r${i}` })),
      tag(20, { metric_name: 'none', invalid: [20] }),
      tag(30, { metric_name: 'above', max: 10 }),
      tag(40, { metric_name: 'text', values: { RUNNING: 1 } }),
    ],
  }
  const id = await create(site, { port: device.port, config })
  expect((await sourceOf(site, id)).config).toMatchObject(config)
  const latest = async () => (await site.call('GET', `machines/${site.machineId}/readings/latest`)).body.readings
  await until(async () => expect((await latest()).r7).toMatchObject({ value: 7 }))
  expect(Object.keys(await latest())).not.toEqual(expect.arrayContaining(['none', 'above']))
  await until(async () => expect((await sourceOf(site, id)).last_error).toMatch(/of 11 tags cannot be read/))
  expect(Math.max(...device.asked.map(({ quantity }) => quantity))).toBe(limit)
})

it('a hub reads OPC UA, and reports nodes that it cannot read', { timeout: 60_000 }, async () => {
  const hub = await start()
  const site = await hubs.site(hub)
  const server = await OpcUaSimulator.start({ dir: dataDir })
  onTestFinished(() => server.stop())
  server.add('Temperature', DataType.Double, 21.5)
  const node = (name: string) => ({ node_id: `ns=1;s=${name}`, metric_name: name, unit: 'celsius' })
  const config = { nodes: [node('Temperature'), node('Missing')] }
  const id = await create(site, { protocol: 'opcua', port: server.port, config })
  await until(async () => expect(await site.stored()).toBeGreaterThan(0))
  await until(async () =>
    expect(await sourceOf(site, id)).toMatchObject({
      last_polled_at: expect.any(String),
      last_error: expect.stringMatching(/^1 of 2 tags cannot be read: ns=1;s=Missing, the server has no such node/),
    }),
  )
})

it('a hub dates readings of a server whose clock is wrong, unless the source says otherwise', { timeout: 60_000 }, async () => {
  const hub = await start()
  const site = await hubs.site(hub)
  const server = await OpcUaSimulator.start({ dir: dataDir })
  onTestFinished(() => server.stop())
  const behindMs = 3 * 3_600_000
  server.setClock(-behindMs)
  server.add('Temperature', DataType.Double, 0)
  server.set('Temperature', DataType.Double, 21.5, { at: new Date(Date.now() - behindMs) })
  const source = async (metric_name: string, more: object) => {
    const nodes = [{ node_id: 'ns=1;s=Temperature', metric_name, unit: 'celsius' }]
    const id = await create(site, { protocol: 'opcua', port: server.port, config: { nodes, ...more } })
    expect((await sourceOf(site, id)).config).toMatchObject(more)
    return id
  }
  const byHub = await source('by_hub', {})
  const bySource = await source('by_source', { timestamps: 'source', max_clock_offset_seconds: 60 })
  const query = new URLSearchParams({
    start: new Date(Date.now() - 2 * behindMs).toISOString(),
    end: new Date(Date.now() + behindMs).toISOString(),
  })
  type Series = { metric_name: string; data_points: { timestamp: string }[] }
  await until(async () => {
    const { body } = await site.call('GET', `machines/${site.machineId}/readings?${query}`)
    const late = new Map(
      (body as Series[]).map(({ metric_name, data_points }) => [
        metric_name,
        data_points.filter(({ timestamp }) => Date.now() - Date.parse(timestamp) > behindMs / 2).length,
      ]),
    )
    // The value did not change, so only its first reading carries the timestamp of the source.
    expect(late).toEqual(
      new Map([
        ['by_hub', 0],
        ['by_source', 1],
      ]),
    )
  })
  const problem = 'its clock is 3 h behind, so its readings get the time at which they are read; set its clock'
  await until(async () => expect((await sourceOf(site, byHub)).last_error).toBe(problem))
  expect((await sourceOf(site, bySource)).last_error).toBeNull()
})

it('an index means the same namespace after a server renumbered them, also when polling begins anew', {
  timeout: 90_000,
}, async () => {
  const dir = await mkdtemp(path.join(tmpdir(), 'opcua-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true, maxRetries: 5 }))
  const serve = async (port: number, namespaces: string[]) => {
    const plant = await OpcUaSimulator.start({ dir, port, namespaces })
    onTestFinished(() => plant.stop().catch(() => {}))
    for (const uri of namespaces) plant.set(uri, DataType.Double, uri === 'urn:oven' ? 800 : 40)
    return plant
  }
  const before = await serve(0, ['urn:oven', 'urn:press'])
  const { port } = before
  const site = await hubs.site(await start())
  const nodes = [{ node_id: 'ns=2;s=Temp', metric_name: 'oven', unit: 'celsius' }]
  const id = await create(site, { protocol: 'opcua', port, config: { nodes } })
  const latest = async () => (await site.call('GET', `machines/${site.machineId}/readings/latest`)).body.readings.oven
  await until(async () => expect(await latest()).toMatchObject({ value: 800 }))
  const [{ namespaces } = { namespaces: null }] = await hubs.owner`select namespaces from ingest_sources where id = ${id}`
  expect(namespaces).toMatchObject({ endpoint: `opc.tcp://127.0.0.1:${port}/`, uris: expect.arrayContaining(['urn:oven']) })
  const put = (body: object) => site.call('PUT', `ingest-sources/${id}`, body)
  await put({ is_active: false })
  await until(() => expect(before.sessions).toBe(0))
  await before.stop()
  const after = await serve(port, ['urn:press', 'urn:oven'])
  after.set('urn:oven', DataType.Double, 801)
  const { body } = await site.call('POST', `ingest-sources/${id}/test-connection`)
  expect(body.message).toMatch(/oven: 801/)
  await put({ is_active: true })
  await until(async () => expect(await latest()).toMatchObject({ value: 801 }))
  // a changed list accepts nothing: its author may not have checked the other tags
  const more = [...nodes, { node_id: 'ns=2;s=Temp', metric_name: 'added', unit: 'celsius' }]
  await put({ config: { nodes: more } })
  const added = async () => (await site.call('GET', `machines/${site.machineId}/readings/latest`)).body.readings.added
  await until(async () => expect(await added()).toMatchObject({ value: 801 }))
  // the nodes sent again, without a change, mean the namespaces that the server has now
  await put({ config: { nodes: more } })
  await until(async () => expect(await latest()).toMatchObject({ value: 40 }))
})

it('the namespaces that a hub stores first stay, also when another hub had a session at the same time', async () => {
  const site = await hubs.site(await start())
  const nodes = [{ node_id: 'ns=2;s=Temp', metric_name: 'oven', unit: 'celsius' }]
  const id = await create(site, { protocol: 'opcua', port: 4840, is_active: false, config: { nodes } })
  const [row] = await loadSources(hubs.owner, [id])
  if (!row) throw new Error('the source is not there')
  const warnings: unknown[] = []
  const memory = () => rememberedNamespaces(hubs.owner, { warn: (...given: unknown[]) => void warnings.push(given) }, row)
  const [one, two] = [memory(), memory()]
  await one.found(['urn:standard', 'urn:server', 'urn:oven'])
  await two.found(['urn:standard', 'urn:server', 'urn:press', 'urn:oven'])
  const stored = async () => (await loadSources(hubs.owner, [id]))[0]?.namespaces?.uris
  expect([await stored(), two.remembered()]).toEqual([one.remembered(), one.remembered()])
  // one that became longer is stored over the first
  await two.found(['urn:standard', 'urn:server', 'urn:oven', 'urn:press'])
  expect(await stored()).toEqual(['urn:standard', 'urn:server', 'urn:oven', 'urn:press'])
  expect(warnings).toEqual([])
})

it('an encrypted server is trusted by its thumbprint, and knows all hubs as one client', { timeout: 60_000 }, async () => {
  const dirs = [path.join(dataDir, 'one'), path.join(dataDir, 'two')]
  const running = await Promise.all(dirs.map((DATA_DIR) => hubs.start({ DATA_DIR })))
  onTestFinished(async () => void (await Promise.all(running.map((hub) => hub.stop()))))
  const [one, two] = running as [RunningHub, RunningHub]
  const site = await hubs.site(one)
  const server = await OpcUaSimulator.start({ dir: dataDir, users: { reader: 'Right1horse' }, allowAnonymous: false })
  onTestFinished(() => server.stop())
  server.add('Temperature', DataType.Double, 21.5)
  const id = await create(site, {
    protocol: 'opcua',
    port: server.port,
    config: {
      security_mode: 'SignAndEncrypt',
      security_policy: 'Basic256Sha256',
      username: 'reader',
      password: 'Right1horse',
      nodes: [{ node_id: 'ns=1;s=Temperature', metric_name: 'temperature', unit: 'celsius' }],
    },
  })
  const { body: refused } = await site.call('POST', `ingest-sources/${id}/test-connection`)
  expect(refused).toEqual({
    success: false,
    message: expect.stringMatching(/is not trusted.*then set server_thumbprint to [0-9A-F]{40}/),
    fault: null,
    polled_at: null,
  })
  await until(async () => expect((await sourceOf(site, id)).last_error).toMatch(/not trusted/))
  const [thumbprint] = /[0-9A-F]{40}$/m.exec(refused.message.replaceAll('.\n', '\n')) ?? []
  await site.call('PUT', `ingest-sources/${id}`, { config: { server_thumbprint: thumbprint } })
  await until(async () => expect(await site.stored()).toBeGreaterThan(0))
  await until(async () => expect((await sourceOf(site, id)).last_error).toBeNull())

  const login = await fetch(`${two.url}/api/v1/ingest-sources/${id}/test-connection`, {
    method: 'POST',
    headers: { authorization: `Bearer ${site.token}` },
  })
  expect(await login.json()).toMatchObject({ success: true })
  const certificates = await Promise.all(dirs.map((dir) => readFile(path.join(dir, 'pki/own/certificate.pem'), 'utf8')))
  expect(certificates[0]).toBe(certificates[1])
})

it('of a source that cannot be polled, a tenant learns what the device itself answered', async () => {
  const site = await hubs.site(await start())
  // a gateway whose serial line is dead
  const gateway = await new ScriptedModbus((asked, _, socket) => void socket.write(exceptionAnswer(asked, 11))).listen()
  onTestFinished(() => gateway.close())
  const id = await create(site, { port: gateway.port })
  await until(async () =>
    expect(await sourceOf(site, id)).toMatchObject({
      last_error: 'the gateway gets no answer from the device behind it (exception 11)',
      last_fault: { code: 'modbus_gateway_target_failed', params: { exception: '11' }, source: 'device' },
    }),
  )
})

it('a dead, a silent and a rejected source each report their error, and delay no other source', { timeout: 90_000 }, async () => {
  const hub = await start()
  const site = await hubs.site(hub)
  const silent = createServer(() => {}).listen(0, '127.0.0.1')
  const closed = createServer().listen(0, '127.0.0.1')
  await until(() => expect(silent.listening && closed.listening).toBe(true))
  const [silentPort, closedPort] = [silent, closed].map((s) => (s.address() as { port: number }).port)
  await new Promise((done) => closed.close(done))
  onTestFinished(() => void silent.close())
  const good = await device()
  const dead = [await create(site, { port: silentPort }), await create(site, { port: closedPort })]
  const stranger = [{ ...registers[0], machine_identifier: 'nobody' }]
  const rejected = await create(site, { port: good.port, config: { registers: stranger } })
  const empty = await create(site, { port: good.port, config: {} })
  const live = await create(site, { port: good.port, config: { registers, unit_id: 1 } })
  await until(async () => expect((await sourceOf(site, live)).last_polled_at).toEqual(expect.any(String)))
  const errors = async (ids: string[]) => Promise.all(ids.map(async (id) => (await sourceOf(site, id)).last_error))
  await until(async () => {
    const said = (await errors(dead)).map((text) => text?.replace(/:\d+\./, '.'))
    expect(said).toEqual([expect.stringMatching(/^Nothing answers as Modbus TCP at 127\.0\.0\.1\./), said[0]])
  })
  expect(await errors([rejected, empty, live])).toEqual([
    expect.stringMatching(/^1 of 1 readings were rejected: .*nobody/),
    'config names no registers, so there is nothing to read',
    null,
  ])
  for (const id of dead) {
    const { last_polled_at, last_fault } = await sourceOf(site, id)
    expect(last_polled_at).toBeNull()
    expect(last_fault).toMatchObject({ code: 'nothing_answers', source: 'hub' })
  }
  // a device that goes away says so, and says when it was there last
  await good.stop()
  await until(async () => expect((await errors([live]))[0]).toMatch(/^Nothing answers/))
  expect((await sourceOf(site, live)).last_polled_at).toEqual(expect.any(String))
})
