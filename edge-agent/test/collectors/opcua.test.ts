import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { OpcUaConfig } from '@haltless/protocol'
import { DataType, MessageSecurityMode, SecurityPolicy, StatusCodes, VariantArrayType } from 'node-opcua'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import {
  type Collector,
  type CollectorDeps,
  createCollector,
  fetchServerCertificate,
  listServerCertificates,
  type OpcUaSource,
  probe,
  statusText,
  trustServer,
} from '../../src/collectors/index.ts'
import { OpcUaSimulator } from '../support/opcua-simulator.ts'
import { depsFor, Sink, until } from './support.ts'

const collectors: Collector[] = []
let dir: string
let pkiDir: string
/** all policies and modes, two users; its variables are shared by tests that do not change them */
let plant: OpcUaSimulator

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'haltless-opcua-'))
  pkiDir = join(dir, 'pki')
  plant = await OpcUaSimulator.start({
    dir,
    users: { operator: 'Right1horse' },
    securityModes: [MessageSecurityMode.None, MessageSecurityMode.Sign, MessageSecurityMode.SignAndEncrypt],
    securityPolicies: [
      SecurityPolicy.None,
      SecurityPolicy.Basic256Sha256,
      SecurityPolicy.Aes128_Sha256_RsaOaep,
      SecurityPolicy.Aes256_Sha256_RsaPss,
    ],
  })
  plant.add('Temperature', DataType.Double, 21.5)
  plant.add('Running', DataType.Boolean, true)
  plant.add('Count', DataType.Int64, [0, 1_000])
  plant.add('Huge', DataType.UInt64, [0x200000, 1])
  plant.add('Negative', DataType.Int64, [0xffffffff, 0xfffffffe])
  plant.add('Small', DataType.SByte, -3)
  plant.add('Name', DataType.String, '12')
  plant.add('List', DataType.Double, [1, 2], VariantArrayType.Array)
  plant.add('Broken', DataType.Float, Number.NaN)
})
afterEach(async () => {
  await Promise.all(collectors.splice(0).map((collector) => collector.stop()))
})
afterAll(async () => {
  await plant.stop()
  await rm(dir, { recursive: true })
})

interface Options {
  port?: number
  interval?: number
  config?: object
  deps?: Partial<CollectorDeps>
  host?: string
}

const sourceOf = (
  names: string[],
  { port = plant.port, interval = 0.1, config = {}, host = '127.0.0.1' }: Options = {},
): OpcUaSource => ({
  name: 'plant',
  machine: 'oven-1',
  protocol: 'opcua',
  host,
  port,
  pollIntervalSeconds: interval,
  config: OpcUaConfig.parse({
    nodes: names.map((name) => ({ node_id: `ns=1;s=${name}`, metric_name: name, unit: 'u' })),
    ...config,
  }),
})

function run(source: OpcUaSource, more: Partial<CollectorDeps> = {}): { sink: Sink; collector: Collector } {
  const sink = new Sink()
  const collector = createCollector(source, depsFor(sink, { pkiDir, ...more }))
  collectors.push(collector)
  collector.start()
  return { sink, collector }
}
const start = (names: string[], options: Options = {}) => run(sourceOf(names, options), options.deps)
const probing = (source: OpcUaSource, pki = pkiDir) => probe(source, { ...depsFor(new Sink()), pkiDir: pki })

test('numbers of every type are read; what is no number, or not exact, is told and blocks nobody', async () => {
  const names = ['Temperature', 'Running', 'Count', 'Huge', 'Negative', 'Small', 'Name', 'List', 'Broken', 'Missing']
  const { sink, collector } = start(names)
  await until('two polls', () => sink.of('Small').length >= 2)
  const first = Object.fromEntries(sink.readings.slice(0, 5).map(({ metric, value }) => [metric, value]))
  expect(first).toEqual({ Temperature: 21.5, Running: 1, Count: 1_000, Negative: -2, Small: -3 })
  const reasons = Object.fromEntries(collector.status().badTags.map(({ metric, reason }) => [metric, reason]))
  expect(reasons).toEqual({
    Huge: 'the integer is beyond 2^53 and has no exact value',
    Name: 'the node holds a text, not a number',
    List: 'the node holds an array, not a single number',
    Broken: 'the value is not a finite number',
    Missing: 'the server has no such node (BadNodeIdUnknown)',
  })
  expect(statusText(collector.status())).toBe('running: 5 of 10 tags cannot be read')
})

test.each(['poll', 'subscribe'])('elements of arrays are read by their index range (%s)', async (mode) => {
  plant.add(
    `Totals ${mode}`,
    DataType.UInt64,
    [
      [0, 7],
      [1, 0],
    ],
    VariantArrayType.Array,
  )
  const node = (name: string, index_range: number | string, metric_name: string) => ({
    ...{ node_id: `ns=1;s=${name}`, index_range, metric_name, unit: 'u' },
  })
  const nodes = [node('List', 1, 'second'), node(`Totals ${mode}`, 1, 'total'), node('List', 7, 'none')]
  const { sink, collector } = start([], { config: { mode, nodes } })
  await until('two polls', () => ['second', 'total'].every((name) => sink.of(name).length >= 2))
  expect(['second', 'total'].map((name) => sink.values(name)[0])).toEqual([2, 2 ** 32])
  expect(sink.of('second')[0]?.rawTag).toBe('ns=1;s=List[1]')
  expect(collector.status().badTags).toMatchObject([{ metric: 'none', reason: expect.stringContaining('BadIndexRangeNoData') }])
})

test('scale, offset, machine and names are applied; a node id that is none blocks nobody', async () => {
  const nodes = [
    {
      node_id: 'ns=1;s=Temperature',
      metric_name: 'temperature',
      unit: 'fahrenheit',
      scale: 1.8,
      offset: 32,
      machine_identifier: 'oven-2',
    },
    { node_id: 'Temperature', metric_name: 'nonsense', unit: 'u' },
    { node_id: `nsu=${plant.namespaceUri};s=Small`, metric_name: 'by_uri', unit: 'u' },
    { node_id: 'nsu=urn:elsewhere;s=Small', metric_name: 'nowhere', unit: 'u' },
  ]
  const { sink, collector } = start([], { config: { nodes } })
  await until('a poll', () => sink.readings.length >= 2)
  expect(sink.values('by_uri')[0]).toBe(-3)
  expect(sink.readings[0]).toMatchObject({
    machine: 'oven-2',
    metric: 'temperature',
    unit: 'fahrenheit',
    value: 21.5 * 1.8 + 32,
    rawTag: 'ns=1;s=Temperature',
  })
  expect(collector.status().badTags).toMatchObject([
    { rawTag: 'Temperature', reason: expect.stringContaining('this is no node id') },
    { metric: 'nowhere', reason: expect.stringMatching(/^the server has no namespace urn:elsewhere; it has urn:/) },
  ])
})

test('a node whose name looks like a node id is read, and not the one that it names', async () => {
  // i=2267 is the ServiceLevel of every server
  plant.add('[Plc]ns=0;i=2267', DataType.Double, 7)
  const { sink } = start(['[Plc]ns=0;i=2267'])
  await until('a reading', () => sink.readings.length > 0)
  expect(sink.readings[0]?.value).toBe(7)
})

test('a value is dated by its source when that advances, by the poll when it stands still', async () => {
  plant.add('Dated', DataType.Double, 1)
  const born = new Date(Date.now() - 7_200_000)
  plant.set('Dated', DataType.Double, 1, { at: born })
  const began = Date.now()
  const { sink } = start(['Dated'])
  await until('three polls', () => sink.readings.length >= 3)
  expect(sink.readings[0]?.timestamp).toBe(born.getTime())
  for (const { timestamp } of sink.readings.slice(1)) expect(timestamp).toBeGreaterThanOrEqual(began)

  const changed = new Date(Date.now() - 1_000)
  plant.set('Dated', DataType.Double, 2, { at: changed })
  await until('the change and one more', () => sink.values('Dated').filter((value) => value === 2).length >= 2)
  const [moved, stood] = sink.readings.filter(({ value }) => value === 2)
  expect(moved?.timestamp).toBe(changed.getTime())
  expect(stood?.timestamp).toBeGreaterThan(changed.getTime())

  // A clock that runs an hour ahead dates nothing
  plant.set('Dated', DataType.Double, 3, { at: new Date(Date.now() + 3_600_000) })
  await until('the value from the future', () => sink.values('Dated').includes(3))
  for (const { timestamp } of sink.readings) expect(timestamp).toBeLessThanOrEqual(Date.now() + 1_000)
})

test('bad and uncertain values are never handed on as good ones', async () => {
  plant.add('Doubtful', DataType.Double, 5)
  const { sink, collector } = start(['Doubtful', 'Temperature'])
  await until('good', () => sink.of('Doubtful').length >= 1)
  plant.set('Doubtful', DataType.Double, 666, { status: StatusCodes.BadSensorFailure })
  await until('bad', () => collector.status().badTags.length === 1)
  expect(collector.status().badTags[0]?.reason).toBe('the sensor reports a failure (BadSensorFailure)')
  plant.set('Doubtful', DataType.Double, 667, { status: StatusCodes.UncertainLastUsableValue })
  await until('uncertain', () => collector.status().badTags[0]?.reason === 'uncertain quality (UncertainLastUsableValue)')
  const polls = sink.of('Temperature').length
  await until('more polls', () => sink.of('Temperature').length >= polls + 2)
  expect(new Set(sink.values('Doubtful'))).toEqual(new Set([5]))
  expect(collector.status().badValuesTotal).toBeGreaterThanOrEqual(2)
  plant.set('Doubtful', DataType.Double, 6)
  await until('good again', () => sink.values('Doubtful').includes(6))
  expect(collector.status().badTags).toEqual([])
})

test('a deadband holds small changes back, and only these', async () => {
  plant.add('Noisy', DataType.Double, 10)
  const nodes = [
    { node_id: 'ns=1;s=Noisy', metric_name: 'noisy', unit: 'u', deadband: 1 },
    { node_id: 'ns=1;s=Noisy', metric_name: 'raw', unit: 'u' },
  ]
  const { sink } = start([], { config: { nodes } })
  for (const value of [10.5, 11.5, 11.9, 10.2]) {
    await until('the value before', () => sink.of('raw').length > 0)
    plant.set('Noisy', DataType.Double, value)
    await until('the value', () => sink.values('raw').includes(value))
  }
  expect(sink.values('noisy')).toEqual([10, 11.5, 10.2])
})

for (const mode of ['Sign', 'SignAndEncrypt'] as const) {
  for (const policy of ['Basic256Sha256', 'Aes128_Sha256_RsaOaep', 'Aes256_Sha256_RsaPss'] as const) {
    test(`${policy} with ${mode} reads once the server is trusted`, async () => {
      const security = { security_mode: mode, security_policy: policy }
      const source = sourceOf(['Temperature'], { config: { ...security, nodes: sourceOf(['Temperature']).config.nodes } })
      const certificate = await fetchServerCertificate(source, { ...depsFor(new Sink()), pkiDir })
      await trustServer(pkiDir, certificate.thumbprint)
      const { sink } = run(source)
      await until('a reading', () => sink.values('Temperature').includes(21.5))
    })
  }
}

test('an unknown server certificate is refused until it is trusted, and the sentence says how', async () => {
  const fresh = join(dir, 'fresh-pki')
  const security = { security_mode: 'SignAndEncrypt', security_policy: 'Basic256Sha256' }
  const source = sourceOf(['Temperature'], { config: { ...sourceOf(['Temperature']).config, ...security } })
  const { sink, collector } = run(source, { pkiDir: fresh })
  await until('refused', () => collector.status().state === 'failing')
  const [seen] = await listServerCertificates(fresh)
  expect(seen).toMatchObject({ isTrusted: false, thumbprint: expect.stringMatching(/^[0-9A-F]{40}$/) })
  expect(statusText(collector.status())).toContain(`thumbprint ${seen?.thumbprint}`)
  expect(statusText(collector.status())).toContain(`then trust ${seen?.thumbprint}`)
  expect((await probing(source, fresh)).summary).toContain('is not trusted')
  expect(sink.readings).toEqual([])

  await trustServer(fresh, seen?.thumbprint ?? '')
  await until('readings', () => sink.readings.length >= 1)
})

test('with a thumbprint in its configuration only that certificate is trusted, and needs nobody to trust it', async () => {
  const fresh = join(dir, 'pinned-pki')
  const security = { security_mode: 'SignAndEncrypt', security_policy: 'Basic256Sha256' }
  const base = sourceOf(['Temperature'], { config: { ...sourceOf(['Temperature']).config, ...security } })
  const { thumbprint } = await fetchServerCertificate(base, { ...depsFor(new Sink()), pkiDir: fresh })
  const pinned = (server_thumbprint: string) => sourceOf(['Temperature'], { config: { ...base.config, server_thumbprint } })
  expect(await probing(pinned(thumbprint.toLowerCase().replace(/(..)(?=.)/g, '$1:')), fresh)).toMatchObject({ ok: true })
  await trustServer(fresh, thumbprint)
  const other = await probing(pinned('00'.repeat(20)), fresh)
  expect(other).toMatchObject({ ok: false, answered: true, summary: expect.stringContaining('another certificate') })
})

test('a server that does not trust us is told so, with our thumbprint', async () => {
  const strict = await OpcUaSimulator.start({
    dir: join(dir, 'strict'),
    trustClients: false,
    securityModes: [MessageSecurityMode.None, MessageSecurityMode.SignAndEncrypt],
    securityPolicies: [SecurityPolicy.None, SecurityPolicy.Basic256Sha256],
  })
  try {
    const security = { security_mode: 'SignAndEncrypt', security_policy: 'Basic256Sha256' }
    const source = sourceOf([], { port: strict.port, config: security })
    const { thumbprint } = await fetchServerCertificate(source, { ...depsFor(new Sink()), pkiDir })
    await trustServer(pkiDir, thumbprint)
    const { collector } = run(source)
    await until('told', () => collector.status().state === 'failing')
    expect(statusText(collector.status())).toMatch(/trust.*thumbprint of our certificate [0-9A-F]{40}/)
  } finally {
    await strict.stop()
  }
})

test('user and password are accepted on an encrypted channel, and never sent on another', async () => {
  const login = { username: 'operator', password: 'Right1horse', nodes: sourceOf(['Temperature']).config.nodes }
  const security = { security_mode: 'SignAndEncrypt', security_policy: 'Basic256Sha256' }
  const secured = sourceOf([], { config: { ...login, ...security } })
  const { thumbprint } = await fetchServerCertificate(secured, { ...depsFor(new Sink()), pkiDir })
  await trustServer(pkiDir, thumbprint)
  const { sink } = run(secured)
  await until('a reading', () => sink.readings.length >= 1)

  const wrong = run(sourceOf([], { config: { ...login, ...security, password: 'Wrong1horse' } }))
  await until('refused', () => wrong.collector.status().state === 'failing')
  expect(statusText(wrong.collector.status())).toContain('the server refuses the login: wrong user name or password')

  for (const open of [{}, { security_mode: 'Sign', security_policy: 'Basic256Sha256' }]) {
    const { collector } = run(sourceOf([], { config: { ...login, ...open } }))
    await until('refused by us', () => collector.status().state === 'failing')
    expect(statusText(collector.status())).toBe(
      'failing: a user name and password are only sent with security_mode SignAndEncrypt',
    )
  }
})

test('reads keep within the server, and shrink when it says too many', async () => {
  const dense = await OpcUaSimulator.start({ dir, maxNodesPerRead: 7, maxMonitoredItemsPerCall: 6 })
  try {
    const names = Array.from({ length: 40 }, (_, i) => `N${i}`)
    for (const [i, name] of names.entries()) dense.add(name, DataType.Double, i)
    const expected = names.map((_, i) => i)
    const { sink } = start(names, { port: dense.port })
    await until('one poll', () => sink.readings.length >= 40)
    expect(sink.readings.slice(0, 40).map(({ value }) => value)).toEqual(expected)

    const watched = start(names, { port: dense.port, config: { ...sourceOf(names).config, mode: 'subscribe' } })
    const notified = () => new Set(watched.sink.readings.map(({ value }) => value))
    // the first ones are repeated before the last ones are monitored
    await until('all notified', () => notified().size >= 40)
    expect(notified()).toEqual(new Set(expected))

    // From now on it takes 3, while it said 7
    dense.server.engine.serverCapabilities.operationLimits.maxNodesPerRead = 3
    const before = sink.readings.length
    await until('polls in smaller portions', () => sink.readings.length >= before + 80)
    const values = sink.readings.map(({ value }) => value)
    for (let i = 0; i + 40 <= values.length; i += 40) expect(values.slice(i, i + 40)).toEqual(expected)
  } finally {
    await dense.stop()
  }
})

test('a subscription tells of changes, repeats what stands still, and leaves bad values out', async () => {
  plant.add('Watched', DataType.Double, 1)
  plant.add('Still', DataType.Double, 7)
  const names = ['Watched', 'Still', 'Absent']
  const { sink, collector } = start(names, { config: { ...sourceOf(names).config, mode: 'subscribe' } })
  await until('first values', () => sink.of('Watched').length >= 1)
  for (const value of [2, 3]) {
    plant.set('Watched', DataType.Double, value)
    await until('the change', () => sink.values('Watched').includes(value))
  }
  await until('repeats', () => sink.of('Still').length >= 4)
  const stamps = sink.of('Still').map(({ timestamp }) => timestamp)
  expect([...new Set(stamps)].sort()).toEqual(stamps)
  expect(collector.status().badTags).toMatchObject([
    { metric: 'Absent', reason: 'the server has no such node (BadNodeIdUnknown)' },
  ])

  plant.set('Still', DataType.Double, 8, { status: StatusCodes.BadNoCommunication })
  await until('bad', () => collector.status().badTags.length === 2)
  const good = sink.of('Still').length
  const polls = sink.of('Watched').length
  await until('more repeats of the other', () => sink.of('Watched').length >= polls + 3)
  expect(sink.of('Still').length).toBe(good)
})

test('a deadband also holds in a subscription, where the server knows no deadbands too', async () => {
  plant.add('Shaky', DataType.Double, 10)
  const node = { node_id: 'ns=1;s=Shaky', unit: 'u' }
  const nodes = [
    { ...node, metric_name: 'shaky', deadband: 1 },
    { ...node, metric_name: 'raw' },
    { ...node, node_id: 'ns=1;s=Running', metric_name: 'running', deadband: 0.5 },
  ]
  const { sink, collector } = start([], { config: { mode: 'subscribe', nodes } })
  await until('first values', () => sink.of('raw').length >= 1 && sink.of('shaky').length >= 1)
  for (const value of [10.5, 12]) {
    plant.set('Shaky', DataType.Double, value)
    await until('the change', () => sink.values('raw').includes(value))
  }
  await until('the large change', () => sink.values('shaky').includes(12))
  expect(sink.values('shaky')).toEqual([10, 12])
  expect(sink.values('running')).toEqual([1])
  expect(collector.status().badTags).toEqual([])
})

test('a subscription that falls silent is made anew', async () => {
  plant.add('Heard', DataType.Double, 1)
  const { sink, collector } = start(['Heard'], { config: { ...sourceOf(['Heard']).config, mode: 'subscribe' } })
  await until('a reading', () => sink.readings.length >= 1)
  expect(plant.muteSubscriptions()).toBe(1)
  await until('silence noticed', () => collector.status().state === 'reconnecting')
  expect(statusText(collector.status())).toBe('reconnecting: the subscription went silent')
  plant.set('Heard', DataType.Double, 2)
  await until('the new subscription', () => sink.values('Heard').includes(2))
})

test('a server that restarts, and allows one session only, is read again', async () => {
  const options = { dir: join(dir, 'single'), maxSessions: 1 }
  let single = await OpcUaSimulator.start(options)
  const { port } = single
  single.add('Level', DataType.Double, 1)
  const { sink, collector } = start(['Level'], { port })
  await until('a reading', () => sink.readings.length >= 1)
  expect(single.sessions).toBe(1)

  const second = await probing(sourceOf(['Level'], { port }))
  expect(second.summary).toContain('the server allows no more sessions')

  await single.stop()
  await until('loss noticed', () => collector.status().state === 'reconnecting')
  single = await OpcUaSimulator.start({ ...options, port })
  try {
    single.add('Level', DataType.Double, 2)
    await until('the new value', () => sink.values('Level').includes(2))
    expect(single.sessions).toBe(1)
    await collector.stop()
    await until('the session is closed', () => single.sessions === 0)
  } finally {
    await single.stop()
  }
})

test('a probe names the server, what it offers and every first value', async () => {
  const found = await probing(sourceOf(['Temperature', 'Missing']))
  expect(found.ok).toBe(false)
  expect(found.summary).toBe(`OPC UA server at 127.0.0.1:${plant.port} answers, but 1 of 2 tags cannot be read`)
  expect(found.lines).toContain('server: Plant simulator')
  expect(found.lines).toContain(
    'offers SignAndEncrypt with Basic256Sha256, login: anonymous, user name and password, certificate',
  )
  expect(found.lines).toContain('ns=1;s=Temperature Temperature: 21.5 u')
  expect(found.lines).toContain('ns=1;s=Missing Missing: the server has no such node (BadNodeIdUnknown)')
  expect((await probing(sourceOf(['Temperature']))).ok).toBe(true)
  expect((await probing({ ...sourceOf([]), port: 1 })).summary).toContain('connection refused')
})

test('a probe refuses each value without an exact number by the name of its tag, and takes those at the limits', async () => {
  plant.add('Largest', DataType.Int64, [0x1fffff, 0xffffffff])
  plant.add('Lowest', DataType.Int64, [0xffe00000, 1])
  plant.add('TooLarge', DataType.Int64, [0x200000, 0])
  plant.add('TooLow', DataType.Int64, [0xffe00000, 0])
  plant.add('Born', DataType.DateTime, new Date())
  plant.add('Blob', DataType.ByteString, Buffer.from('12'))
  plant.add('Titled', DataType.LocalizedText, { text: 'twelve' })
  plant.add('Flags', DataType.Boolean, [true, false], VariantArrayType.Array)
  const names = ['Largest', 'Lowest', 'Running', 'TooLarge', 'TooLow', 'Born', 'Blob', 'Titled', 'Flags', 'Name']
  const found = await probing(sourceOf(names))
  expect(found).toMatchObject({ ok: false, summary: expect.stringContaining('but 7 of 10 tags cannot be read') })
  expect(found.readings.map(({ value }) => value)).toEqual([2 ** 53 - 1, 1 - 2 ** 53, 1])
  expect(found.lines.filter((line) => /the (node|integer) /.test(line))).toEqual([
    'ns=1;s=TooLarge TooLarge: the integer is beyond 2^53 and has no exact value',
    'ns=1;s=TooLow TooLow: the integer is beyond 2^53 and has no exact value',
    'ns=1;s=Born Born: the node holds a date, not a number',
    'ns=1;s=Blob Blob: the node holds bytes, not a number',
    'ns=1;s=Titled Titled: the node holds a text, not a number',
    'ns=1;s=Flags Flags: the node holds an array, not a single number',
    'ns=1;s=Name Name: the node holds a text, not a number',
  ])
})

test('only the address that the guard answers is dialled, whatever names the server gives itself', async () => {
  const vain = await OpcUaSimulator.start({ dir, advertised: 'opc.tcp://elsewhere.invalid:4840' })
  try {
    vain.add('Level', DataType.Double, 4)
    const asked: string[] = []
    const resolveHost = async (host: string) => {
      asked.push(host)
      return '127.0.0.1'
    }
    const { sink } = start(['Level'], { port: vain.port, host: 'plc.invalid', deps: { resolveHost } })
    await until('a reading', () => sink.readings.length >= 1)
    expect(asked).toEqual(['plc.invalid'])
  } finally {
    await vain.stop()
  }
})

test('stopping is prompt while connecting, and leaves no session behind while reading', async () => {
  const mute = createServer((socket) => void socket.resume())
  await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve))
  const stuck = start([], { port: (mute.address() as { port: number }).port })
  await new Promise<void>((resolve) => mute.once('connection', () => resolve()))
  let began = performance.now()
  await stuck.collector.stop()
  expect(performance.now() - began).toBeLessThan(5_000)
  await new Promise<void>((resolve) => mute.close(() => resolve()))
  expect(performance.now() - began).toBeLessThan(8_000)

  // As soon as the server has made a session: the client may not know of it yet
  await until('other sessions are gone', () => plant.sessions === 0)
  const hasty = start(['Temperature'])
  while (plant.sessions === 0) await new Promise((resolve) => setImmediate(resolve))
  await hasty.collector.stop()
  expect(plant.sessions).toBe(0)

  const { sink, collector } = start(['Temperature'], { interval: 3_600 })
  await until('a reading', () => sink.readings.length === 1)
  expect(plant.sessions).toBe(1)
  began = performance.now()
  await collector.stop()
  expect(performance.now() - began).toBeLessThan(5_000)
  expect(plant.sessions).toBe(0)
  expect(collector.status().state).toBe('stopped')
})
