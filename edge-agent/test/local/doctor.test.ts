import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { OpcUaConfig } from '@haltless/protocol'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { CollectorSource, ProbeResult } from '../../src/collectors/collector.ts'
import { FileConfig } from '../../src/collectors/file/contract.ts'
import { MqttConfig } from '../../src/collectors/mqtt/contract.ts'
import { SparkplugConfig } from '../../src/collectors/sparkplug/contract.ts'
import { doctor } from '../../src/commands/doctor.ts'
import type { Finding } from '../../src/commands/findings.ts'
import { readStatus } from '../../src/commands/status.ts'
import { bundleFile, supportBundle } from '../../src/commands/support-bundle.ts'
import type { AgentConfig } from '../../src/settings/schema.ts'
import { systemClock } from '../../src/support/clock.ts'
import { createLogger } from '../../src/support/logger.ts'
import { Secret } from '../../src/support/secret.ts'
import { Plant } from '../agent-harness.ts'

let plant: Plant
let config: AgentConfig
beforeEach(async () => {
  plant = await Plant.open()
  mkdirSync(plant.dataDir, { mode: 0o700 })
  config = { ...plant.config(), collectors: [SOURCE] }
})
afterEach(() => plant.end())

const SOURCE: CollectorSource = {
  protocol: 'opcua',
  name: 'Presse Halle 7',
  machine: 'press-acme-01',
  host: 'plc7.acme.example',
  port: 4840,
  pollIntervalSeconds: 1,
  config: OpcUaConfig.parse({
    security_mode: 'SignAndEncrypt',
    security_policy: 'Basic256Sha256',
    username: 'operator-miller',
    password: 'hunter2-secret',
    nodes: [{ node_id: 'ns=2;s=AcmePress.Recipe42', metric_name: 'recipe_42', unit: 'bar', machine_identifier: 'press-acme-02' }],
  }),
}
const PROBED: ProbeResult = {
  ok: false,
  answered: true,
  summary:
    'OPC UA server at plc7.acme.example:4840 (10.17.3.9): user operator-miller may not read ns=2;s=AcmePress.Recipe42 of press-acme-02',
  lines: ['recipe_42: 17 bar'],
  limits: ['reads 100 nodes a request'],
  clockAheadMs: null,
  readings: [],
  badTags: [],
}
const findings = () =>
  doctor(config, { clock: systemClock, logger: createLogger('silent'), probe: () => Promise.resolve(PROBED) })
const named = (all: Finding[], what: string) => all.filter((one) => one.what === what)

describe('doctor', () => {
  it('tells what check tells, what the device allows, and how this computer is', async () => {
    const all = await findings()
    expect(named(all, 'Presse Halle 7')).toMatchObject([{ result: 'FAIL' }, { result: 'ok', words: 'reads 100 nodes a request' }])
    for (const what of ['disk', 'disk speed', 'memory', 'permissions']) expect(named(all, what)).toHaveLength(1)
    expect(named(all, 'permissions')).toMatchObject([{ result: 'ok' }])
    expect(named(all, 'agent')).toMatchObject([{ result: 'note', words: `No agent runs on ${plant.dataDir}.` }])
  })

  it('fails for a folder that others can enter, and notes a disk that is smaller than the buffer may become', async () => {
    chmodSync(plant.dataDir, 0o755)
    config = { ...config, buffer: { ...config.buffer, maxBytes: 1e18 } }
    const all = await findings()
    expect(named(all, 'permissions')).toMatchObject([
      { result: 'FAIL', words: expect.stringContaining(`chmod 700 ${plant.dataDir}`) },
    ])
    expect(named(all, 'disk')).toMatchObject([{ result: 'note', words: expect.stringContaining('it will be full earlier') }])
  })
})

it('the bundle for whoever helps has states and counts, and no name, address or secret of the plant', async () => {
  const { agent, feed } = plant.start()
  await feed([])
  await plant.stop(agent)
  config = {
    ...config,
    hub: { url: 'https://hub.acme.example:8443', apiKey: new Secret('hk_a1b2c3d4_verysecret'), allowPlaintext: false },
    uplink: {
      ...config.uplink,
      mqtt: { url: 'mqtts://broker.acme.example:8883', username: 'acme-agent', password: new Secret('pw-of-broker') },
    },
  }
  const all = [
    ...(await findings()),
    {
      what: 'hub',
      result: 'FAIL' as const,
      words: 'https://hub.acme.example:8443 refuses hk_a1b2c3d4_verysecret of it@acme.example at fe80:0:0:0:1:2:3:4',
      lines: ['a line'],
    },
  ]
  const text = JSON.stringify(supportBundle(config, all, readStatus(config), systemClock.now()))
  for (const secret of [
    'acme',
    'Acme',
    'Halle',
    'miller',
    'hunter2',
    'verysecret',
    'pw-of',
    'recipe_42',
    '10.17.3.9',
    'fe80',
    'press-hall',
    plant.dataDir,
    'a line',
  ])
    expect(text).not.toContain(secret)
  const bundle = JSON.parse(text)
  expect(bundle.findings).toContainEqual({
    what: 'hub',
    result: 'FAIL',
    words: 'https://host-1 refuses secret of mail-address at address',
  })
  expect(bundle.settings.collectors).toEqual([
    {
      name: 'collector-1',
      protocol: 'opcua',
      port: 4840,
      poll_interval_seconds: 1,
      tags: 1,
      mode: 'poll',
      security_mode: 'SignAndEncrypt',
      security_policy: 'Basic256Sha256',
      has_user: true,
      timestamps: null,
    },
  ])
  expect(Object.keys(bundle).sort()).toEqual(['agent', 'findings', 'made_at', 'settings', 'status'])
})

it('the bundle hides the names of files, topics and metrics too, and what stands in them', () => {
  const file = FileConfig.parse({
    path: '/srv/Acme/press/*.csv',
    timestamp: { field: ['Datum Acme', 'time'] },
    fields: [{ field: 'Recipe Miller', where: { 'Tag Acme': 'P-Acme' }, metric_name: 'value', unit: 'bar' }],
  })
  const topics = [{ topic: 'acme/hall/t', field: 'data.Miller', metric_name: 'value', unit: 'u' }]
  const metrics = [{ node: 'edge-Acme', device: 'press-Acme', metric: 'Oil/Acme', metric_name: 'value', unit: 'u' }]
  const base = { machine: 'machine-acme', pollIntervalSeconds: 1 }
  const device = { ...base, host: 'broker.acme.example', port: 1883 }
  const other: AgentConfig = {
    ...config,
    collectors: [
      { ...base, name: 'Acme file', protocol: 'file', config: file },
      { ...device, name: 'Acme mqtt', protocol: 'mqtt', config: MqttConfig.parse({ topics, username: 'acme-user' }) },
      {
        ...device,
        name: 'Acme sparkplug',
        protocol: 'sparkplug',
        config: SparkplugConfig.parse({ group: 'Line Acme', metrics }),
      },
    ],
  }
  const words =
    '/srv/Acme/press/42.csv: "Acme, Miller" is no number; there is no column Recipe Miller; the topic acme/hall/t, edge-Acme/press-Acme of Line Acme'
  const findings = [
    words,
    'there is no column time; there are Acme, Miller 2',
    'its birth has no metric a; it has Acme/b and 9 more',
    'the certificate is not trusted: C=DE, O=Acme Presses, CN=Miller@acme-box, thumbprint CC26. Compare it',
    '/srv/Acme/press/order of Miller.csv: permission denied',
    'no tag can be read: ns=2 was urn:acme:oven, which the server no longer has; it has urn:acme:press; correct the node id',
    'the server has no namespace urn:acme:oven; it has urn:acme:press',
  ].map((each) => ({ what: 'a', result: 'FAIL' as const, words: each, lines: [] }))
  const bundle = supportBundle(other, findings, readStatus(other), systemClock.now())
  expect(JSON.stringify(bundle)).not.toMatch(/acme|miller/i)
  expect(bundle.findings.map((found) => found.words)).toEqual([
    'path: "..." is no number; there is no column name-2; the topic name-6, name-9/name-10 of name-8',
    'there is no column time; there are ...',
    'its birth has no metric a; it has ...',
    'the certificate is not trusted: subject, thumbprint CC26. Compare it',
    'path: permission denied',
    'no tag can be read: ns=2 was ..., which the server no longer has; it has ...',
    'the server has no namespace ...; it has ...',
  ])
  expect(bundle.settings.collectors).toMatchObject([
    { protocol: 'file', port: null, tags: 1, format: 'csv' },
    { port: 1883, has_user: true },
    {},
  ])
})

it('the bundle is refused before the tests where it cannot be written', () => {
  expect(() => bundleFile('/no-such-folder/help.json')).toThrow('There is no folder /no-such-folder for the bundle.')
  expect(() => bundleFile(plant.dataDir)).toThrow(/is a folder: name a file in it/)
  expect(bundleFile(join(plant.dataDir, 'help.json'))).toBe(join(plant.dataDir, 'help.json'))
})
