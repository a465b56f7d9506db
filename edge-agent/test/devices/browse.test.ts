import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fault, OpcUaConfig } from '@haltless/protocol'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { type BrowseQuery, browseOpcUa, type OpcUaSource } from '../../src/collectors/index.ts'
import { addNodes } from '../../src/commands/add-nodes.ts'
import { formatBrowse } from '../../src/commands/browse.ts'
import { depsFor, Sink } from '../collectors/support.ts'
import { DataType, OpcUaSimulator } from '../support/opcua-simulator.ts'
import { agentCommand } from './agent-command.ts'

let dir: string
let server: OpcUaSimulator
const requests: { name: string; nodes: number }[] = []

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'haltless-browse-'))
  server = await OpcUaSimulator.start({ dir, maxNodesPerRead: 7, maxNodesPerBrowse: 3 })
  const plant = server.folder('Plant')
  const press = server.folder('Press 1', plant)
  server.addTo(press, 'OilTemperature', DataType.Double, 41.81176162999544, '°C')
  server.addTo(press, 'Running', DataType.Boolean, true)
  server.addTo(press, 'Recipe', DataType.String, 'bracket 7\nsteel')
  server.addTo(press, 'Counter', DataType.UInt64, [0xffffffff, 0xffffffff])
  const oven = server.folder('Oven 2', plant)
  server.addTo(oven, 'OilTemperature', DataType.Float, 20.5, '°C')
  const many = server.folder('Many', plant)
  for (let i = 0; i < 30; i++) server.addTo(many, `Tag${i}`, DataType.Int16, i)
  // a node that lies below two folders is listed once
  many.addReference({ referenceType: 'Organizes', nodeId: press.nodeId })
  server.server.on('request', (request) => {
    const { nodesToBrowse, nodesToRead } = request as { nodesToBrowse?: unknown[]; nodesToRead?: unknown[] }
    requests.push({ name: request.schema.name, nodes: (nodesToBrowse ?? nodesToRead ?? []).length })
  })
})
afterAll(async () => {
  await server.stop()
  await rm(dir, { recursive: true })
})

const source = (config: object = {}): OpcUaSource => ({
  protocol: 'opcua',
  name: 'press',
  machine: '',
  host: '127.0.0.1',
  port: server.port,
  pollIntervalSeconds: 1,
  config: OpcUaConfig.parse(config),
})
const browse = (query: Partial<BrowseQuery> = {}, from = source()) =>
  browseOpcUa(
    from,
    { skip: 0, limit: 100, visitMax: 1_000, ...query },
    { ...depsFor(new Sink()), pkiDir: join(dir, 'pki') },
    new AbortController().signal,
  )
/** A node id as the settings get it. */
const byUri = (name: string) => `nsu=${server.namespaceUri};s=${name}`
const names = async (query: Partial<BrowseQuery>) => (await browse(query)).nodes.map(({ path }) => path.at(-1))

describe('browse', () => {
  it('lists the variables of the tree with path, type, value, unit, and why one cannot become readings', async () => {
    const { nodes, hasMore, isComplete } = await browse({ limit: 5 })
    expect(nodes).toEqual([
      {
        nodeId: byUri('Press 1.OilTemperature'),
        indexed: 'ns=1;s=Press 1.OilTemperature',
        path: ['Plant', 'Press 1', 'OilTemperature'],
        type: 'Double',
        value: '41.81176',
        unit: '°C',
        fault: null,
        reason: null,
      },
      {
        nodeId: byUri('Press 1.Running'),
        indexed: 'ns=1;s=Press 1.Running',
        path: ['Plant', 'Press 1', 'Running'],
        type: 'Boolean',
        value: '1',
        unit: null,
        fault: null,
        reason: null,
      },
      {
        nodeId: byUri('Press 1.Recipe'),
        indexed: 'ns=1;s=Press 1.Recipe',
        path: ['Plant', 'Press 1', 'Recipe'],
        type: 'String',
        value: 'bracket 7 steel',
        unit: null,
        fault: 'the node holds a text, not a number',
        reason: fault('opcua_node_is_no_number', { type: 'a text' }),
      },
      {
        nodeId: byUri('Press 1.Counter'),
        indexed: 'ns=1;s=Press 1.Counter',
        path: ['Plant', 'Press 1', 'Counter'],
        type: 'UInt64',
        value: null,
        unit: null,
        fault: 'the integer is beyond 2^53 and has no exact value',
        reason: fault('integer_too_large'),
      },
      {
        nodeId: byUri('Oven 2.OilTemperature'),
        indexed: 'ns=1;s=Oven 2.OilTemperature',
        path: ['Plant', 'Oven 2', 'OilTemperature'],
        type: 'Float',
        value: '20.5',
        unit: '°C',
        fault: null,
        reason: null,
      },
    ])
    expect([hasMore, isComplete]).toEqual([true, true])
  })

  it('finds by words of path and node id, whatever their case', async () => {
    expect(await names({ search: 'oven TEMP' })).toEqual(['OilTemperature'])
    expect(await names({ search: 's=press running' })).toEqual(['Running'])
    expect(await names({ search: `${byUri('oven')} temp` })).toEqual(['OilTemperature'])
    expect(await names({ search: 'nothing such' })).toEqual([])
    expect(await names({ search: server.namespaceUri })).toEqual([])
  })

  it('pages without a gap, lists each node once, and begins at the node of --under', async () => {
    const pages = [await browse({ limit: 12 }), await browse({ skip: 12, limit: 12 }), await browse({ skip: 24, limit: 12 })]
    const all = (await browse({})).nodes.map(({ nodeId }) => nodeId)
    expect(all).toHaveLength(35)
    expect(new Set(all).size).toBe(35)
    expect(pages.flatMap(({ nodes }) => nodes.map(({ nodeId }) => nodeId))).toEqual(all)
    expect(pages.map(({ hasMore }) => hasMore)).toEqual([true, true, false])
    expect(await names({ under: 'ns=1;s=Oven 2' })).toEqual(['OilTemperature'])
    expect(await names({ under: `nsu=${server.namespaceUri};s=Oven 2` })).toEqual(['OilTemperature'])
  })

  it('keeps to the limits of the server, and calls no service that changes anything', async () => {
    requests.length = 0
    await browse({})
    const most = (name: string) => Math.max(...requests.filter((each) => each.name === name).map(({ nodes }) => nodes))
    expect([most('BrowseRequest'), most('ReadRequest')]).toEqual([3, 7])
    const called = new Set(requests.map(({ name }) => name.replace(/Request$/, '')))
    const reading = ['GetEndpoints', 'CreateSession', 'ActivateSession', 'CloseSession', 'Read', 'Browse', 'BrowseNext']
    expect([...called].filter((name) => !reading.includes(name))).toEqual([])
  })

  it('requests again what the server left out because it had no continuation point left', async () => {
    const all = await names({})
    server.limitContinuationPoints(true)
    try {
      expect(await names({})).toEqual(all)
    } finally {
      server.limitContinuationPoints(false)
    }
  })

  it('says what to do about more than 10,000 nodes', async () => {
    const about = { type: 'Double', value: '1', unit: null, fault: null, reason: null }
    const node = { nodeId: 'ns=2;i=1', path: ['A'], indexed: 'ns=2;i=1', ...about }
    const page = { nodes: [node], hasMore: true, visited: 10_001, isComplete: true }
    expect(formatBrowse(page, 0, 'next')).toMatch(
      /more than 10,000 nodes: narrow them with --under or --search\.\nThere are more: next$/,
    )
    expect(formatBrowse({ ...page, visited: 9_999 }, 0, 'next')).toMatch(/\n\nThere are more: next$/)
    const { code, err } = await agentCommand(['browse', 'opc.tcp://127.0.0.1:1', '--limit', '10001'])
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/at most 10,000 variables: narrow .* --under or --search, or go on with --page/),
    ])
  })

  it('gives up after so many nodes, and says so', async () => {
    const page = await browse({ visitMax: 10 })
    expect([page.isComplete, page.visited]).toEqual([false, 10])
    expect(formatBrowse(page, 0, 'next')).toMatch(/gave up after 10 nodes: begin deeper with --under/)
  })

  it.each([
    [{ under: 'ns=1;s=Nowhere' }, /the server has no such node/],
    [{ under: 'Press' }, /is no node id/],
    [{ under: 'nsu=urn:other;s=Press' }, /the server has no namespace urn:other; it has urn:/],
  ])('says what is wrong with %j', async (query, words) => {
    await expect(browse(query)).rejects.toThrow(words)
  })
})

describe('browse --add', () => {
  let file: string
  const before =
    '# mine\nhub:\n  url: https://hub.example.com # the hub\n  api_key: hk_0_a\nagent_id: x\ncollectors:\n  - file: line.yaml\n'
  beforeEach(async () => {
    file = join(await mkdtemp(join(dir, 'settings-')), 'agent.yaml')
    await writeFile(file, before, { mode: 0o600 })
    await writeFile(
      join(file, '..', 'line.yaml'),
      '# the line\nname: line\nprotocol: opcua\nmachine_identifier: line-01\nhost: 127.0.0.1\nnodes:\n  - {node_id: "ns=1;s=Press 1.Running", metric_name: oil_temperature, unit: state} # why\n',
      { mode: 0o600 },
    )
  })
  const collectorsOf = async (path: string) => parse(await readFile(path, 'utf8'))

  it('writes a collector for the server with names, units and its address; comments and settings stay', async () => {
    const { nodes } = await browse({ limit: 5 })
    const usable = nodes.filter(({ fault }) => fault === null)
    addNodes(file, source(), 'press hall', 'press-01', usable, null)
    const text = await readFile(file, 'utf8')
    expect(text).toContain('# mine\nhub:\n  url: https://hub.example.com # the hub')
    expect((await collectorsOf(file)).collectors[1]).toEqual({
      name: 'press hall',
      protocol: 'opcua',
      machine_identifier: 'press-01',
      host: '127.0.0.1',
      port: server.port,
      nodes: [
        { node_id: byUri('Press 1.OilTemperature'), metric_name: 'oil_temperature', unit: 'celsius' },
        { node_id: byUri('Press 1.Running'), metric_name: 'running', unit: 'bool' },
        { node_id: byUri('Oven 2.OilTemperature'), metric_name: 'oven_2_oil_temperature', unit: 'celsius' },
      ],
    })
    expect((await stat(file)).mode & 0o777).toBe(0o600)
  })

  it('takes a node id with the index that the server shows, and writes the URI', async () => {
    const args = ['browse', `127.0.0.1:${server.port}`, '--config', file, '--under', 'ns=1;s=Oven 2', '--name', 'oven']
    const added = await agentCommand([...args, '--machine', 'm', '--add', 'ns=1;s=Oven 2.OilTemperature'])
    expect(added).toMatchObject({ code: 0, out: expect.stringContaining(byUri('Oven 2.OilTemperature')) })
    const again = await agentCommand([...args, '--add', byUri('Oven 2.OilTemperature')])
    expect(again.out).toMatch(/has these nodes already/)
  })

  it('adds to the file that a collector stands in, leaves out what it has, and names no metric twice', async () => {
    const { nodes } = await browse({ limit: 2 })
    const { added } = addNodes(file, source(), 'line', 'press-09', nodes, null)
    expect(added.map(({ metric_name }) => metric_name)).toEqual(['press_1_oil_temperature'])
    const path = join(file, '..', 'line.yaml')
    expect((await collectorsOf(path)).nodes[1]).toEqual({
      node_id: byUri('Press 1.OilTemperature'),
      metric_name: 'press_1_oil_temperature',
      unit: 'celsius',
      machine_identifier: 'press-09',
    })
    expect(await readFile(path, 'utf8')).toMatch(/# the line[\s\S]*# why/)
    expect(await readFile(file, 'utf8')).toBe(before)
  })

  it('knows the nodes of a collector by the namespaces that their indexes mean, not by those of today', async () => {
    const { nodes } = await browse({ limit: 2 })
    const addWith = (remembered: string[] | null) =>
      addNodes(file, source(), 'line', 'line-01', nodes, remembered).added.map(({ node_id }) => node_id)
    const standard = 'http://opcfoundation.org/UA/'
    expect(addWith([standard, server.namespaceUri])).toEqual([byUri('Press 1.OilTemperature')])
    // ns=1;s=Press 1.Running of the settings is a node of another namespace, which had the index 1
    expect(addWith([standard, 'urn:acme:gone', server.namespaceUri])).toEqual([byUri('Press 1.Running')])
  })

  it.each([
    ['hub: {a: 1\nb: 2\n', /cannot be used:\n {2}- .*line 2/],
    ['collectors: {a: 1}\n', /collectors in the settings is no list/],
    ['just a text\n', /the settings must hold keys and values/],
    ['collectors:\n  - file: no-such.yaml\n', /no-such\.yaml cannot be used:\n {2}- there is no such file/],
  ])('leaves settings alone that hold %j', async (text, reason) => {
    const path = join(file, '..', 'odd.yaml')
    await writeFile(path, text)
    const { nodes } = await browse({ limit: 1 })
    expect(() => addNodes(path, source(), 'new', null, nodes, null)).toThrow(reason)
    expect(await readFile(path, 'utf8')).toBe(text)
  })

  it('as a command: shows, adds, and takes back what would make the settings unusable', async () => {
    const address = `127.0.0.1:${server.port}`
    const shown = await agentCommand(['browse', address, '--config', file, '--search', 'press 1'])
    expect(shown).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^path +node +type +value\nPlant \/ Press 1 \/ OilTemperature/),
    })
    const added = await agentCommand([
      'browse',
      address,
      '--config',
      file,
      '--under',
      'ns=1;s=Oven 2',
      '--add',
      'all',
      '--name',
      'oven',
      '--machine',
      'm',
    ])
    expect(added).toMatchObject({ code: 0, out: expect.stringContaining('1 node added to oven in ') })
    const again = await agentCommand([
      'browse',
      address,
      '--config',
      file,
      '--search',
      'Recipe',
      '--add',
      'ns=1;s=Press 1.Recipe',
    ])
    expect(again).toMatchObject({ code: 1, err: expect.stringContaining('cannot become readings: the node holds a text') })
    const text = await readFile(file, 'utf8')
    const twice = await agentCommand([
      'browse',
      address,
      '--config',
      file,
      '--under',
      'ns=1;s=Press 1',
      '--search',
      'oil',
      '--add',
      'all',
      '--name',
      'other',
      '--machine',
      'm',
    ])
    expect(twice).toMatchObject({
      code: 1,
      err: expect.stringContaining('Nothing was written, because the settings would have a fault'),
    })
    expect(await readFile(file, 'utf8')).toBe(text)
  })
})
