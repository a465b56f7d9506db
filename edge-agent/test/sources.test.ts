import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fault, OpcUaConfig } from '@haltless/protocol'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Collector, CollectorSource, CollectorStatus } from '../src/collectors/collector.ts'
import { Plant, until } from './agent-harness.ts'

let plant: Plant
/** what happened to collectors, in order: `start press 5`, `stop press 5` (the name and the interval) */
let events: string[]
let status: Partial<CollectorStatus>
/** collectors with this interval deliver nothing */
let silentInterval: number
beforeEach(async () => {
  plant = await Plant.open()
  events = []
  status = {}
  silentInterval = 0
})
afterEach(() => plant.end())

const REFUSED = fault('connection_refused')
const SILENT: Partial<CollectorStatus> = { state: 'reconnecting', detail: REFUSED.detail, fault: REFUSED }
const createCollector = (source: CollectorSource): Collector => {
  const name = `${source.name.replace(/ \[.*/, '')} ${source.pollIntervalSeconds}`
  const quiet: CollectorStatus = {
    state: 'running',
    detail: '',
    fault: null,
    lastAnswerAt: null,
    lastReadAt: null,
    readingsTotal: 0,
    badValuesTotal: 0,
    badTags: [],
    missedPolls: { skipped: 0, failed: 0 },
  }
  return {
    name: source.name,
    start: () => void events.push(`start ${name}`),
    stop: async () => void events.push(`stop ${name}`),
    status: () => ({ ...quiet, ...(source.pollIntervalSeconds === silentInterval ? SILENT : status) }),
  }
}
/** The collector of agent.yaml is called press too, and polls every second. */
const pushed = () => events.filter((event) => !/ 1$/.test(event))

const ids = { oven: randomUUID(), pump: randomUUID() }
const source = (name: keyof typeof ids, changes: object = {}) => ({
  source_id: ids[name],
  name,
  machine_identifier: `${name}-01`,
  protocol: 'opcua',
  host: '10.0.0.7',
  port: 4840,
  poll_interval_seconds: 5,
  config: { security_mode: 'SignAndEncrypt', security_policy: 'Basic256Sha256', username: 'u', password: 'top-secret-7' },
  ...changes,
})
const send = (revision: number, ...sources: object[]) => plant.hub.publish('press-hall', 'sources', { revision, sources })
const reported = () => plant.hub.heartbeats.at(-1)?.sources
const reports = (revision: number) => until(`revision ${revision} is reported`, () => reported()?.revision === revision)
const connected = () => until('MQTT is up', () => plant.hub.states.length > 0)

it('sources from the hub are applied as the agent runs: only what changed stops', async () => {
  plant.start({}, { createCollector })
  await connected()
  send(1, source('oven'), source('pump'))
  await reports(1)
  expect(pushed()).toEqual(['start oven 5', 'start pump 5'])
  expect(reported()?.states.map(({ source_id }) => source_id)).toEqual([ids.oven, ids.pump])

  send(2, source('oven', { poll_interval_seconds: 7 }), source('pump'))
  await reports(2)
  await until('the new one has started', () => pushed().length === 4)
  expect(pushed().slice(2)).toEqual(['stop oven 5', 'start oven 7'])

  send(3, source('pump'))
  await reports(3)
  expect(pushed().slice(4)).toEqual(['stop oven 7'])
  // one that was on its way for long
  send(2, source('oven', { poll_interval_seconds: 7 }), source('pump'))
  send(4)
  await reports(4)
  expect(pushed().slice(5)).toEqual(['stop pump 5'])
})

it('an agent that reaches the hub by HTTPS only gets them with the answer to its heartbeat', async () => {
  plant.hub.behaviour.isMqttOpen = false
  plant.hub.behaviour.isWebSocketOpen = false
  plant.hub.behaviour.sources = () => ({ revision: 3, sources: [source('oven')] })
  plant.start({}, { createCollector })
  await reports(3)
  expect(pushed()).toEqual(['start oven 5'])
})

it("the last good set is stored on disk for the agent's user only, and runs while the hub is away", async () => {
  const { agent, lines } = plant.start({}, { createCollector })
  await connected()
  send(8, source('oven'))
  await reports(8)
  await plant.stop(agent)
  const file = join(plant.dataDir, 'sources.json')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readFileSync(file, 'utf8')).toContain('top-secret-7')
  expect(lines.join('')).not.toContain('top-secret-7')

  events = []
  plant.hub.behaviour.isHttpOpen = false
  plant.hub.behaviour.isMqttOpen = false
  plant.start({}, { createCollector })
  await until('it runs again', () => pushed().includes('start oven 5'))
})

it('a start with damaged sources forgets no namespaces, and a renamed collector gets those of its former name', async () => {
  const known = { endpoint: 'opc.tcp://192.0.2.1:4840', uris: ['urn:standard', 'urn:server', 'urn:oven'], found: null }
  const sourceId = randomUUID()
  mkdirSync(plant.dataDir, { recursive: true })
  const file = join(plant.dataDir, 'namespaces.json')
  writeFileSync(file, JSON.stringify({ oven: known, [sourceId]: { ...known, name: 'oven [x]' } }))
  writeFileSync(join(plant.dataDir, 'sources.json'), '{"revision"')
  const address = { protocol: 'opcua' as const, machine: 'oven', host: '192.0.2.1', port: 4840, pollIntervalSeconds: 5 }
  const collectors = [{ ...address, name: 'oven hall', config: OpcUaConfig.parse({}) }]
  let remembered: readonly string[] | null | undefined
  plant.start(
    { collectors },
    {
      createCollector: (source, deps) => {
        remembered = deps.namespaces?.remembered()
        return createCollector(source)
      },
    },
  )
  expect(remembered).toEqual(known.uris)
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ 'oven hall': known, [sourceId]: { ...known, name: 'oven [x]' } })
})

it('a source with settings that this agent does not know yet runs without them', async () => {
  const created: CollectorSource[] = []
  const collecting = (given: CollectorSource) => {
    created.push(given)
    return createCollector(given)
  }
  plant.start({}, { createCollector: collecting })
  await connected()
  const node = { node_id: 'ns=2;s=A', metric_name: 'a', unit: 'u', invalid: [32_767], values: { RUNNING: 1 }, of_next_year: [1] }
  send(1, source('oven', { config: { nodes: [node], of_next_year: true }, of_next_year: 1 }))
  await reports(1)
  expect(reported()?.states).toMatchObject([{ source_id: ids.oven, error: null }])
  const { of_next_year: _, ...known } = node
  expect(created.at(-1)?.config).toMatchObject({ nodes: [known] })
  expect(JSON.stringify(created)).not.toContain('of_next_year')
})

it('a faulty set of sources changes nothing, and the agent reports it', async () => {
  const { lines } = plant.start({}, { createCollector })
  await connected()
  send(1, source('oven'))
  await reports(1)
  plant.hub.publish('press-hall', 'sources', { revision: 'two', sources: [] })
  await until('the fault is told', () => reported()?.fault !== undefined)
  expect(reported()).toMatchObject({ revision: 1, fault: expect.stringContaining('revision'), states: [{ source_id: ids.oven }] })
  expect(pushed()).toEqual(['start oven 5'])

  // of a newer hub, perhaps: one that it cannot read leaves the others alone
  send(2, source('oven'), source('pump', { protocol: 's7' }))
  await until('the next is taken', () => reported()?.revision === 2)
  expect(reported()?.fault).toBeUndefined()
  expect(reported()?.states).toEqual([
    { source_id: ids.oven, error: null, polled_at: null },
    {
      source_id: ids.pump,
      error: expect.stringMatching(/^this agent cannot run it: protocol/),
      fault: expect.objectContaining({ code: 'source_not_runnable' }),
      polled_at: null,
    },
  ])
  expect(pushed()).toEqual(['start oven 5'])
  expect(lines.join('')).not.toContain('top-secret-7')
})

it('the agent reports a disk that refuses the sources, and applies them when it recovers', async () => {
  plant.start({}, { createCollector })
  await connected()
  const blocker = join(plant.dataDir, 'sources.json')
  mkdirSync(blocker)
  writeFileSync(join(blocker, 'x'), '')
  send(1, source('oven'))
  await until('the fault is told', () => reported()?.fault !== undefined)
  expect([reported()?.revision, pushed()]).toEqual([0, []])
  rmSync(blocker, { recursive: true })
  plant.hub.behaviour.sources = () => ({ revision: 1, sources: [source('oven')] })
  await reports(1)
  expect(pushed()).toEqual(['start oven 5'])
})

it('the agent reports a new failure before the next heartbeat is due', async () => {
  plant.hub.behaviour.nextCheckSeconds = 3_600
  plant.start({}, { createCollector, sourcesCheckIntervalMs: 50 })
  await connected()
  send(1, source('oven'))
  await reports(1)
  const failure = fault('no_readable_tag', { reason: fault('opcua_no_value_yet', { status: 'BadWaitingForInitialData' }) })
  status = { state: 'failing', detail: failure.detail, fault: failure }
  await until('it is told', () => /^no tag can be read/.test(reported()?.states[0]?.error ?? ''))
  status = {}
  await until('that it is well again, too', () => reported()?.states[0]?.error === null)
})

it("the agent reports failures by source, with the time of the device's last answer", async () => {
  plant.start({}, { createCollector })
  await connected()
  status = { ...SILENT, lastAnswerAt: 1_790_000_000_000 }
  send(1, source('oven'))
  await until('it is told', () => (reported()?.states.length ?? 0) > 0)
  expect(reported()?.states).toEqual([
    { source_id: ids.oven, error: 'connection refused', fault: REFUSED, polled_at: new Date(1_790_000_000_000).toISOString() },
  ])
})

describe('changed settings of a source that delivers', () => {
  const deps = () => ({ createCollector, sourcesCheckIntervalMs: 20, sourceTrialMs: () => 150 })
  const delivering = () => {
    status = { lastAnswerAt: Date.now(), lastReadAt: Date.now() }
  }

  it('are kept when they deliver', async () => {
    delivering()
    plant.start({}, deps())
    await connected()
    send(1, source('oven'))
    await reports(1)
    send(2, source('oven', { poll_interval_seconds: 7 }))
    await reports(2)
    await until('the trial is over', () => !existsSync(join(plant.dataDir, 'source-trials.json')))
    expect(pushed()).toEqual(['start oven 5', 'stop oven 5', 'start oven 7'])
    expect(reported()?.states[0]?.error).toBeNull()
  })

  it('are given up when they do not: the agent goes back to those before, says why, and does so after a restart too', async () => {
    delivering()
    const { agent } = plant.start({}, deps())
    await connected()
    send(1, source('oven'), source('pump'))
    await reports(1)
    silentInterval = 7
    send(2, source('oven', { poll_interval_seconds: 7 }), source('pump'))
    await reports(2)
    expect(statSync(join(plant.dataDir, 'source-trials.json')).mode & 0o777).toBe(0o600)
    await until('it goes back', () => pushed().filter((event) => event === 'start oven 5').length === 2)
    const error = () => reported()?.states.find(({ source_id }) => source_id === ids.oven)?.error
    await until('it is told', () => /went back to those before: .*connection refused/.test(error() ?? ''))
    expect(reported()?.revision).toBe(2)
    expect(pushed().filter((event) => event.includes('pump'))).toEqual(['start pump 5'])

    await plant.stop(agent)
    events = []
    plant.hub.behaviour.isHttpOpen = false
    plant.hub.behaviour.isMqttOpen = false
    plant.start({}, deps())
    await until('it runs again', () => pushed().includes('start oven 5'))
    expect(pushed()).not.toContain('start oven 7')
  })

  it('that were given up are left when the hub sends others, and tried when they come again', async () => {
    delivering()
    plant.start({}, deps())
    await connected()
    send(1, source('oven'))
    await reports(1)
    silentInterval = 7
    send(2, source('oven', { poll_interval_seconds: 7 }))
    await until('it goes back', () => pushed().at(-1) === 'start oven 5' && pushed().length > 3)
    send(3, source('oven', { poll_interval_seconds: 8 }))
    await reports(3)
    await until('the next settings run', () => pushed().at(-1) === 'start oven 8')
    await until('nothing is wrong', () => reported()?.states[0]?.error === null)
    silentInterval = 0
    send(4, source('oven', { poll_interval_seconds: 7 }))
    await until('those before run', () => pushed().at(-1) === 'start oven 7')
  })

  it('are no trial where nothing was delivered before', async () => {
    status = SILENT
    plant.start({}, deps())
    await connected()
    send(1, source('oven'))
    await reports(1)
    send(2, source('oven', { poll_interval_seconds: 7 }))
    await reports(2)
    expect(existsSync(join(plant.dataDir, 'source-trials.json'))).toBe(false)
  })

  it('that the agent cannot read are given up too', async () => {
    delivering()
    plant.start({}, deps())
    await connected()
    send(1, source('oven'))
    await reports(1)
    send(2, source('oven', { protocol: 's7' }))
    await until('it goes back', () => pushed().filter((event) => event === 'start oven 5').length === 2)
    await until('it is told', () => /cannot run it/.test(reported()?.states[0]?.error ?? ''))
  })
})

it('with remote.sources off no source of the hub runs, also of those that are on disk, and the hub learns why', async () => {
  const { agent } = plant.start({}, { createCollector })
  await connected()
  send(1, source('oven'))
  await reports(1)
  await plant.stop(agent)
  events = []
  plant.start({ remote: { isOn: false, resolveHost: undefined, allowDevices: () => {} } }, { createCollector })
  plant.hub.behaviour.sources = () => ({ revision: 2, sources: [source('oven')] })
  await until('it is told', () => reported()?.fault === 'remote.sources is off in the settings of this agent')
  expect(pushed()).toEqual([])
})
