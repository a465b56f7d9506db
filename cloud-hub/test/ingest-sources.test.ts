import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startModbusServer } from '../../edge-agent/src/plant/modbus-server.ts'
import { DataType, OpcUaSimulator } from '../../edge-agent/test/support/opcua-simulator.ts'
import { plant, type TestUser, useHub } from './harness.ts'

const dataDir = await mkdtemp(path.join(tmpdir(), 'sources-'))
afterAll(() => rm(dataDir, { recursive: true, force: true }))

const hub = useHub({ OUTBOUND_ALLOW: '127.0.0.0/8', DATA_DIR: dataDir })
const guarded = useHub({ DATA_DIR: dataDir })

const registers = [
  { address: 0, metric_name: 'temperature', unit: 'celsius', scale: 0.1 },
  { address: 9, metric_name: 'speed', unit: 'rpm' },
]
const source = (machineId: string, values: object = {}) => ({
  machine_id: machineId,
  name: 'PLC',
  protocol: 'modbus',
  host: '127.0.0.1',
  port: 502,
  ...values,
})
const encrypted = {
  agent_id: 'line-4',
  security_mode: 'SignAndEncrypt',
  security_policy: 'Basic256Sha256',
  username: 'reader',
  password: 'top-secret-7',
}

describe('a polling source', () => {
  let admin: TestUser
  let machine: { id: string }
  beforeAll(async () => {
    ;({ admin, machine } = await plant(hub))
  })
  const create = async (values: object = {}) => admin.call('POST', 'ingest-sources', source(machine.id, values))

  it('is created with defaults, read, listed, changed in part and deleted', async () => {
    const { status, body: made } = await create()
    expect([status, made]).toEqual([
      201,
      {
        ...source(machine.id),
        version: expect.any(String),
        id: expect.any(String),
        tenant_id: admin.tenantId,
        poll_interval_seconds: 30,
        is_active: true,
        config: {},
        last_polled_at: null,
        last_error: null,
        last_fault: null,
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
    ])
    expect((await admin.call('GET', `ingest-sources/${made.id}`)).body).toEqual(made)
    expect((await admin.call('GET', 'ingest-sources')).body).toContainEqual(made)
    const changed = await admin.call('PUT', `ingest-sources/${made.id}`, { poll_interval_seconds: 5, config: { unit_id: 3 } })
    expect(changed.body).toEqual({
      ...made,
      version: expect.any(String),
      poll_interval_seconds: 5,
      config: { unit_id: 3 },
      updated_at: expect.any(String),
    })
    expect((await admin.call('PUT', `ingest-sources/${made.id}`, {})).body).toEqual(changed.body)
    expect((await admin.call('DELETE', `ingest-sources/${made.id}`)).status).toBe(204)
    expect((await admin.call('GET', `ingest-sources/${made.id}`)).body.code).toBe('ingest_source_not_found')
  })

  it('says that nobody polls it while its machine is deactivated', async () => {
    const { body: idle } = await admin.call('POST', 'machines', { name: 'Idle', machine_identifier: 'idle', protocol: 'json' })
    for (const config of [{}, { agent_id: 'line-9' }]) {
      const { body: made } = await create({ machine_id: idle.id, config })
      const saidNow = async () => (await admin.call('GET', `ingest-sources/${made.id}`)).body.last_error
      const before = await saidNow()
      await admin.call('DELETE', `machines/${idle.id}`)
      expect(await saidNow()).toBe('the machine is deactivated, so the source is not polled')
      const listed = (await admin.call('GET', 'ingest-sources')).body.find((s: { id: string }) => s.id === made.id)
      expect(listed.last_error).toBe('the machine is deactivated, so the source is not polled')
      await admin.call('PATCH', `machines/${idle.id}`, { is_active: true })
      expect(await saidNow()).toBe(before)
    }
  })

  it.each([
    ['a missing machine', { machine_id: undefined }, 'body.machine_id'],
    ['an interval below 5 s', { poll_interval_seconds: 4 }, 'body.poll_interval_seconds'],
    ['an interval above an hour', { poll_interval_seconds: 3_601 }, 'body.poll_interval_seconds'],
    ['port 0', { port: 0 }, 'body.port'],
    ['another protocol', { protocol: 's7' }, 'body.protocol'],
    ['a URL for a host', { host: 'http://plc/' }, 'body.host'],
    ['an odd agent id', { config: { agent_id: 'line 4' } }, 'body.config.agent_id'],
    ['a wrong register table', { config: { registers: [{ ...registers[0], table: 'dm' }] } }, 'body.config.registers.0.table'],
    [
      'a register beyond the last',
      { config: { registers: [{ ...registers[0], address: 65_535, data_type: 'float32' }] } },
      'body.config.registers.0',
    ],
    [
      'a register without a metric',
      { config: { registers: [{ address: 1, unit: 'bar' }] } },
      'body.config.registers.0.metric_name',
    ],
    [
      'limits without a value between them',
      { config: { registers: [{ ...registers[0], min: 1, max: 0 }] } },
      'body.config.registers.0.min',
    ],
    [
      'an index range of several elements',
      { protocol: 'opcua', config: { nodes: [{ node_id: 'i=1', metric_name: 'a', unit: 'u', index_range: '1:3' }] } },
      'body.config.nodes.0.index_range',
    ],
    [
      'a text for a number',
      { config: { registers: [{ ...registers[0], invalid: ['n/a'] }] } },
      'body.config.registers.0.invalid.0',
    ],
    [
      'a text without its number',
      { config: { registers: [{ ...registers[0], values: { RUNNING: '' } }] } },
      'body.config.registers.0.values.RUNNING',
    ],
    ['timestamps that Modbus has not', { config: { registers, timestamps: 'source' } }, 'body.config.timestamps'],
    ['two values of one series', { config: { registers: [registers[0], registers[0]] } }, 'body.config.registers.1'],
    [
      'a password without encryption',
      { protocol: 'opcua', config: { username: 'u', password: 'p' } },
      'body.config.security_mode',
    ],
    [
      'a masked password that nobody entered',
      { protocol: 'opcua', config: { ...encrypted, password: '***' } },
      'body.config.password',
    ],
  ])('is refused with %s', async (_what, values, at) => {
    const { status, body } = await create(values)
    expect([status, body.errors?.[0]?.path]).toEqual([422, at])
    expect(body.errors[0].message).not.toMatch(/invalid|expected/i)
  })

  it('belongs to a machine of the tenant', async () => {
    const other = await plant(hub)
    expect((await create({ machine_id: other.machine.id })).body.code).toBe('machine_not_found')
    const { body } = await create()
    const moved = await admin.call('PUT', `ingest-sources/${body.id}`, { machine_id: other.machine.id })
    expect(moved.body.code).toBe('machine_not_found')
    const both = await admin.call('PUT', `ingest-sources/${body.id}`, { machine_id: other.machine.id, config: { unit_id: -1 } })
    expect(both.status).toBe(422)
  })

  it('shows its password to nobody, keeps it through changes, and seals it in the database', async () => {
    const { body: made } = await create({ protocol: 'opcua', config: encrypted })
    expect(made.config).toEqual({ ...encrypted, password: '***' })
    const changed = await admin.call('PUT', `ingest-sources/${made.id}`, {
      name: 'PLC 2',
      config: { password: '***', mode: 'subscribe' },
    })
    expect(changed.body.config).toEqual({ ...encrypted, password: '***', mode: 'subscribe' })
    const [row] = await hub.owner`select * from ingest_sources where id = ${made.id}`
    expect(row?.sealed_secrets).toBeTruthy()
    const trail = await hub.owner`select before, after from audit_log where target_id = ${made.id}`
    expect(trail).toHaveLength(2)
    expect(JSON.stringify([row, trail])).not.toContain(encrypted.password)
    const cleared = await admin.call('PUT', `ingest-sources/${made.id}`, { config: { password: null } })
    expect(cleared.body.config).not.toHaveProperty('password')
  })

  it('asks for its password again when it would go to another host, port or agent', async () => {
    const { body: made } = await create({ protocol: 'opcua', host: 'plc.example', config: encrypted })
    const put = (body: object) => admin.call('PUT', `ingest-sources/${made.id}`, body)
    for (const move of [
      { host: 'elsewhere.example' },
      { port: 4841 },
      { config: { agent_id: 'line-5' } },
      { config: { agent_id: null } },
    ]) {
      const { status, body } = await put(move)
      expect([move, status, body.errors?.[0]?.path]).toEqual([move, 422, 'body.config.password'])
    }
    expect((await put({ host: 'PLC.example' })).status).toBe(200)
    expect((await put({ host: 'elsewhere.example', config: { password: 'another' } })).status).toBe(200)
    expect((await put({ port: 4841, config: { password: null } })).status).toBe(200)
  })

  it('resets its settings with another protocol, but keeps its agent', async () => {
    const { body: made } = await create({ protocol: 'opcua', config: encrypted })
    const { body } = await admin.call('PUT', `ingest-sources/${made.id}`, {
      protocol: 'modbus',
      config: { registers: [registers[1]] },
    })
    expect(body.config).toEqual({ agent_id: 'line-4', registers: [expect.objectContaining({ address: 9 })] })
    expect(body).toMatchObject({ protocol: 'modbus' })
  })

  it('increments the revision of its agent, but only for changes that the agent must know', async () => {
    const agent = `agent-${machine.id.slice(0, 8)}`
    const revision = async () =>
      (await hub.owner`select revision from agent_sources where tenant_id = ${admin.tenantId} and agent_id = ${agent}`)[0]
        ?.revision
    const { body: made } = await create({ config: { agent_id: agent } })
    expect(await revision()).toBe('1')
    await admin.call('PUT', `ingest-sources/${made.id}`, { is_active: false })
    expect(await revision()).toBe('2')
    await hub.owner`update ingest_sources set last_polled_at = now() where id = ${made.id}`
    expect(await revision()).toBe('2')
    await admin.call('PATCH', `machines/${machine.id}`, { is_active: false })
    await admin.call('PATCH', `machines/${machine.id}`, { is_active: true })
    expect(await revision()).toBe('4')
    await admin.call('PUT', `ingest-sources/${made.id}`, { config: { agent_id: 'line-9' } })
    await admin.call('DELETE', `ingest-sources/${made.id}`)
    expect(await revision()).toBe('5')
  })

  it('is one of a bounded number', async () => {
    const many = await plant(hub)
    await hub.owner`insert into ingest_sources (tenant_id, machine_id, name, protocol, host, port, poll_interval_seconds, is_active, config, tag_count)
      select ${many.admin.tenantId}, ${many.machine.id}, 'PLC', 'modbus', '8.8.8.8', 502, 30, true, '{}', 0 from generate_series(1, 100)`
    const another = await many.admin.call('POST', 'ingest-sources', source(many.machine.id))
    expect([another.status, another.body.code]).toEqual([409, 'too_many_sources'])
    const ofAgent = await many.admin.call('POST', 'ingest-sources', source(many.machine.id, { config: { agent_id: 'a' } }))
    expect(ofAgent.status).toBe(201)
  })
})

describe('a source that a hub polls', () => {
  it('leads to no private address; one that an agent polls may', async () => {
    const { admin, machine } = await plant(guarded)
    for (const host of ['127.0.0.1', '10.1.2.3', '169.254.169.254', '[::1]', '::ffff:10.0.0.1', '0x7f.1', '2130706433']) {
      const { status, body } = await admin.call('POST', 'ingest-sources', source(machine.id, { host }))
      expect([host, status, body.errors?.[0]?.path]).toEqual([host, 422, 'body.host'])
    }
    const values = { host: '10.1.2.3', config: { agent_id: 'line-4' } }
    const made = await admin.call('POST', 'ingest-sources', source(machine.id, values))
    expect(made.status).toBe(201)
    const taken = await admin.call('PUT', `ingest-sources/${made.body.id}`, { config: { agent_id: null } })
    expect([taken.status, taken.body.errors[0].path]).toEqual([422, 'body.host'])
  })
})

describe('a connection test', () => {
  const test = async (user: TestUser, machineId: string, values: object) => {
    const { body } = await user.call('POST', 'ingest-sources', source(machineId, values))
    const started = performance.now()
    const answer = await user.call('POST', `ingest-sources/${body.id}/test-connection`)
    expect(answer.status).toBe(200)
    return { ...answer.body, seconds: (performance.now() - started) / 1000 }
  }

  it('tells the first values of a Modbus device', async () => {
    const { admin, machine } = await plant(hub)
    const image = { holding: new Map([[0, 215]]), coil: new Map(), discrete: new Map(), input: new Map() }
    const device = await startModbusServer('127.0.0.1', 0, new Map([[1, () => image]]))
    onTestFinished(() => device.stop())
    const good = await test(admin, machine.id, { port: device.port, config: { registers: registers.slice(0, 1) } })
    expect(good).toMatchObject({ success: true, message: expect.stringContaining('holding:0 temperature: 21.5 celsius') })
    const half = await test(admin, machine.id, { port: device.port, config: { registers, max_gap: 0 } })
    expect(half).toMatchObject({ success: false, message: expect.stringContaining('1 of 2 tags cannot be read') })
    expect(good.seconds).toBeLessThan(6)
  })

  it('tells the server, security modes and first values of OPC UA', async () => {
    const { admin, machine } = await plant(hub)
    const server = await OpcUaSimulator.start({ dir: dataDir })
    onTestFinished(() => server.stop())
    server.add('Temperature', DataType.Double, 21.5)
    const config = { nodes: [{ node_id: 'ns=1;s=Temperature', metric_name: 'temperature', unit: 'celsius' }] }
    const { success, message } = await test(admin, machine.id, { protocol: 'opcua', port: server.port, config })
    expect([success, message]).toEqual([
      true,
      expect.stringMatching(/answers\.\nserver: .+\noffers None with None[\s\S]*21\.5 celsius/),
    ])
  })

  it('says how far the clock of OPC UA is off, and what becomes of the readings', async () => {
    const { admin, machine } = await plant(hub)
    const server = await OpcUaSimulator.start({ dir: dataDir })
    onTestFinished(() => server.stop())
    server.add('Temperature', DataType.Double, 21.5)
    server.setClock(-3 * 3_600_000)
    const config = { nodes: [{ node_id: 'ns=1;s=Temperature', metric_name: 'temperature', unit: 'celsius' }] }
    const { message } = await test(admin, machine.id, { protocol: 'opcua', port: server.port, config })
    expect(message).toContain(
      'The clock of the device is 3 h behind that of the hub, so its readings get the time at which they are read; set its clock.',
    )
  })

  it('is no port scanner: closed, silent, foreign and private addresses give the same answer after the same time', {
    timeout: 90_000,
  }, async () => {
    const { admin, machine } = await plant(hub)
    const inside = await plant(guarded)
    const silent = createServer(() => {}).listen(0, '127.0.0.1')
    const chatty = createServer((socket) => {
      socket.on('error', () => {})
      socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')
    }).listen(0, '127.0.0.1')
    const closed = createServer().listen(0, '127.0.0.1')
    const servers = [silent, chatty, closed]
    await Promise.all(servers.map((server) => server.listening || once(server, 'listening')))
    const [silentPort, chattyPort, closedPort] = servers.map((s) => (s.address() as { port: number }).port)
    await new Promise((done) => closed.close(done))
    onTestFinished(() => void [silent, chatty].map((s) => s.close()))
    const found = await Promise.all([
      ...[silentPort, chattyPort, closedPort].map((port) => test(admin, machine.id, { port, host: 'localhost' })),
      test(admin, machine.id, { port: closedPort, host: 'no-such-host.invalid' }),
      ...[silentPort, chattyPort].map((port) =>
        test(inside.admin, inside.machine.id, { port, host: 'localhost', protocol: 'opcua' }),
      ),
    ])
    const words = found.map(({ message }) => message.replace(/at \S+:\d+/, 'at it').replace(/as (OPC UA|Modbus TCP)/, 'as it'))
    expect(new Set(words).size).toBe(1)
    expect(words[0]).toMatch(/^Nothing answers as it at it\. .*agent_id/)
    // The process that reads OPC UA may have to start first, whatever the address.
    for (const { success, seconds } of found) expect([success, seconds > 7.9 && seconds < 60]).toEqual([false, true])
  })

  it('of a source that an agent polls returns what the agent reported', async () => {
    const { admin, machine } = await plant(hub)
    const unknown = await test(admin, machine.id, { config: { agent_id: 'line-77' } })
    expect(unknown).toMatchObject({ success: false, message: 'Agent line-77 polls this source, and has not reported yet.' })
  })
})
