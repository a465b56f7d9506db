import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inspect } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { contracts } from '../collectors/contracts.ts'
import { loadConfig } from './config.ts'
import { defaultAgentId } from './schema.ts'
import { ConfigError, ENVIRONMENT } from './tree.ts'

const CONFIG = fileURLToPath(new URL('../../config/', import.meta.url))
const CERTIFICATE = fileURLToPath(new URL('../../test/tls/certificate.pem', import.meta.url))
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'config-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function write(yaml: string, name = 'agent.yaml'): string {
  const file = join(folder, name)
  writeFileSync(file, yaml)
  return file
}

function faultsOf(yaml: string, env: NodeJS.ProcessEnv = {}): readonly string[] {
  try {
    loadConfig(write(yaml), env)
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
    throw error
  }
  return []
}

const HUB = 'hub: { url: "https://hub.example.com", api_key: hk_secret_key }\n'

describe('the files in config/', () => {
  it('are loaded as they stand', () => {
    const { collectors, agentId, dataDir } = loadConfig(join(CONFIG, 'agent.yaml'), {})
    expect(agentId).toBe('press-hall')
    expect(dataDir).toBe(join(CONFIG, 'data'))
    expect(collectors.map(({ protocol, name, machine }) => [protocol, name, machine])).toEqual([
      ['opcua', 'press-line', 'press-01'],
      ['modbus', 'oven', 'oven-01'],
    ])
    expect(collectors[0]?.config).toMatchObject({
      mode: 'poll',
      nodes: [{ node_id: 'nsu=urn:acme:press;s=Press.Temperature' }, { deadband: 0 }],
    })
  })

  it('show every protocol, each in a file of its name, without a fault', () => {
    const names = Object.keys(contracts)
    const path = write(`${HUB}collectors: [${names.map((name) => `{ file: "${join(CONFIG, `${name}.yaml`)}" }`).join(', ')}]`)
    const { collectors } = loadConfig(path, { HALTLESS_DATA_DIR: folder })
    expect(collectors.map(({ protocol }) => protocol)).toEqual(names)
  })

  it('show the defaults: a file without them means the same', () => {
    const {
      agentId: _,
      file: _a,
      secretFiles: _b,
      remote: _f,
      ...shown
    } = loadConfig(join(CONFIG, 'agent.yaml'), { HALTLESS_DATA_DIR: folder })
    const { agentId: _c, file: _d, secretFiles: _e, remote: _g, ...bare } = loadConfig(write(HUB), { HALTLESS_DATA_DIR: folder })
    expect({ ...shown, hub: null, collectors: [] }).toEqual({ ...bare, hub: null })
    expect(shown.hub.allowPlaintext).toBe(bare.hub.allowPlaintext)
  })
})

describe('enrolment', () => {
  it('needs a hub URL and an API key, nothing else, and takes them from the environment too', () => {
    const config = loadConfig(write(''), { HALTLESS_HUB_URL: 'https://hub.example.com/', HALTLESS_API_KEY: 'hk_1' })
    expect(config.hub).toMatchObject({ url: 'https://hub.example.com', allowPlaintext: false })
    expect(config.hub.apiKey.reveal()).toBe('hk_1')
    expect(config.agentId).toBe(defaultAgentId())
    expect(config.collectors).toEqual([])
  })

  it('takes an agent id from whatever the computer is called', () => {
    expect(defaultAgentId('press-hall.plant.example.com')).toBe('press-hall')
    expect(defaultAgentId('Prüfstand 7')).toBe('Pr-fstand-7')
    expect(defaultAgentId('工厂')).toBe('edge-agent')
    expect(defaultAgentId('x'.repeat(200))).toHaveLength(64)
  })
})

describe('the environment', () => {
  it('comes before the file, and every variable is one that the example names', () => {
    const env = {
      HALTLESS_HUB_URL: 'https://other.example.com',
      HALTLESS_API_KEY: 'hk_env',
      HALTLESS_ALLOW_PLAINTEXT: 'true',
      HALTLESS_AGENT_ID: 'from-env',
      HALTLESS_DATA_DIR: folder,
      HALTLESS_CA_FILE: CERTIFICATE,
      HALTLESS_LOG_LEVEL: 'debug',
    }
    expect(Object.keys(env)).toEqual(Object.keys(ENVIRONMENT))
    const config = loadConfig(write(`${HUB}agent_id: from-file`), env)
    expect(config).toMatchObject({
      agentId: 'from-env',
      dataDir: folder,
      logLevel: 'debug',
      uplink: { caFile: env.HALTLESS_CA_FILE },
    })
    expect(config.hub).toMatchObject({ url: 'https://other.example.com', allowPlaintext: true })
    expect(config.hub.apiKey.reveal()).toBe('hk_env')
  })

  it('stands in for its name in braces after a dollar sign, in any text', () => {
    const named = (name: string) => `$\{${name}}`
    const yaml = `hub: { url: "https://${named('HOST')}", api_key: "${named('KEY')}" }`
    expect(loadConfig(write(yaml), { HOST: 'hub.example.com', KEY: 'hk_2' }).hub.url).toBe('https://hub.example.com')
    expect(faultsOf(yaml, { KEY: 'x' })).toContain('hub.url: the environment variable HOST is not set')
  })
})

describe('faults', () => {
  it('of more than 10,000 nodes say what to do', () => {
    const nodes = Array.from({ length: 10_001 }, (_, i) => `{ node_id: "ns=2;i=${i}", metric_name: m${i}, unit: bar }`)
    const collector = `{ name: a, protocol: opcua, machine_identifier: m, host: h, nodes: [${nodes.join(', ')}] }`
    expect(faultsOf(`${HUB}collectors: [${collector}]\n`)).toContain(
      'collectors[0].nodes: has more than 10,000 entries: divide them among several collectors',
    )
  })

  it('are told all at once, each by its key', () => {
    const faults = faultsOf(`
hub: { url: "ftp://hub", api_kee: x }
agent_id: "no spaces allowed"
bufffer: {}
buffer: { max_megabytes: lots }
collectors:
  - { name: a, protocol: modbus, machine_identifier: m, host: h, registers: [{ address: 70000, metric_name: x, unit: y }] }
  - { name: a, protocol: opcua, machine_identifier: m, host: h, nodes: [{ node_id: n, metric_name: x }], pol_interval: 1 }
  - { name: b, protocol: profibus }
`)
    const keys = faults.map((fault) => fault.split(':')[0])
    expect(keys.sort()).toEqual([
      'agent_id',
      'buffer.max_megabytes',
      'bufffer',
      'collectors[0].registers[0].address',
      'collectors[1].nodes[0].unit',
      'collectors[1].pol_interval',
      'collectors[2].protocol',
      'hub.api_kee',
      'hub.api_key',
      'hub.url',
    ])
    expect(faults.filter((fault) => /^hub.api_key: is missing, and this agent is not enrolled/.test(fault))).toHaveLength(1)
    expect(faults).toContain('bufffer: there is no such setting')
    expect(faults).toContain(
      `collectors[2].protocol: expected ${Object.keys(contracts)
        .map((name) => `'${name}'`)
        .join(' | ')}`,
    )
    expect(faults).toContain('collectors[0].registers[0].address: expected number to be <=65535')
  })

  it('are told of limits for devices that are out of their range, and not of those at its ends', () => {
    const opcua = (settings: string) => `hub: { url: "https://hub.example.com", api_key: k }
collectors:
  - { name: a, protocol: opcua, machine_identifier: m, host: h, nodes: [{ node_id: n, metric_name: x, unit: u }], ${settings} }`
    const low = faultsOf(opcua('max_requests_per_second: 0, pause_ms: -1, timeout_ms: 499, history_hours: -1'))
    const high = faultsOf(opcua('max_requests_per_second: 1001, pause_ms: 60001, timeout_ms: 60001, history_hours: 721'))
    for (const faults of [low, high])
      expect(faults.map((fault) => fault.split(':')[0]).sort()).toEqual(
        ['history_hours', 'max_requests_per_second', 'pause_ms', 'timeout_ms'].map((key) => `collectors[0].${key}`),
      )
    for (const settings of [
      'max_requests_per_second: 0.1, pause_ms: 0, timeout_ms: 500, history_hours: 0',
      'max_requests_per_second: 1000, pause_ms: 60000, timeout_ms: 60000, history_hours: 720',
    ])
      expect(loadConfig(write(opcua(settings)), {}).collectors).toHaveLength(1)
  })

  it.each([
    [
      'http to another computer',
      'hub: { url: "http://hub.example.com", api_key: k }',
      /hub.url: .*not encrypted.*allow_plaintext/,
    ],
    [
      'mqtt to another computer',
      `${HUB}uplink: { mqtt: { url: "mqtt://broker.example.com" } }`,
      /uplink.mqtt.url: .*not encrypted/,
    ],
    [
      'two collectors of one name',
      `${HUB}collectors: [${collector('a')}, ${collector('a')}]`,
      /collectors\[1\].name: "a" is taken/,
    ],
    [
      'a password over an open channel',
      `${HUB}collectors: [${opcua('username: u, password: p')}]`,
      /collectors\[0\].security_mode: must be SignAnd/,
    ],
    [
      'a mode without a policy',
      `${HUB}collectors: [${opcua('security_mode: Sign')}]`,
      /collectors\[0\].security_policy: None goes with/,
    ],
    ['a missing CA file', `${HUB}uplink: { ca_file: none.pem }`, /uplink.ca_file: there is no file/],
    ['a missing collector file', `${HUB}collectors: [{ file: none.yaml }]`, /none.yaml: there is no such file/],
    ['a CA file without a certificate', `${HUB}uplink: { ca_file: agent.yaml }`, /uplink.ca_file: .* holds no certificate/],
    [
      'a CA file that is a folder',
      `${HUB}uplink: { ca_file: . }`,
      /uplink.ca_file: .* cannot be used: it is a folder, not a file/,
    ],
    ['broken YAML', 'hub: [', /./],
    ['a tab', 'hub:\n\turl: x\n\tapi_key: k', /^line 2 is indented with a tab: YAML allows only spaces there$/],
    ['an alias of nothing', 'hub: { url: *nowhere }', /Unresolved alias/],
    [
      'aliases that grow beyond measure',
      `a: &a [x, x]\n${[...'bcdefghij'].map((c, i) => `${c}: &${c} [${Array(9).fill(`*${'abcdefghi'[i]}`)}]`).join('\n')}`,
      /Excessive alias count/,
    ],
    [
      'a password in an address, which would be logged',
      'hub: { url: "https://user:secret@hub.example.com", api_key: k }',
      /^hub.url: must not hold a user name or password: addresses are shown in logs$/,
    ],
    ['a key with a line end', 'hub: { url: "https://h", api_key: "hk_1\\r" }', /hub.api_key: must not hold spaces, line ends/],
    ['an empty key', 'hub: { url: "https://h", api_key: "" }', /hub.api_key: must not be empty/],
    [
      'a password without a user name',
      `${HUB}collectors: [${opcua('security_mode: SignAndEncrypt, security_policy: Basic256Sha256, password: p')}]`,
      /collectors\[0\].username: is missing/,
    ],
    [
      'two tags that would be one series',
      `${HUB}collectors: [${collector('a')}, ${collector('b')}]`,
      /collectors\[1\].registers\[0\]: has the machine, metric and unit of collectors\[0\].registers\[0\]/,
    ],
    [
      'a string without a length',
      `${HUB}collectors: [${collector('a').replace('address: 1,', 'address: 1, data_type: string,')}]`,
      /collectors\[0\].registers\[0\]: a string needs its length/,
    ],
    [
      'a value beyond the last register',
      `${HUB}collectors: [${collector('a').replace('address: 1,', 'address: 65535, data_type: float32,')}]`,
      /collectors\[0\].registers\[0\]: the value reaches beyond register 65535/,
    ],
    ['no keys at all', 'just words', /must hold keys and values/],
  ])('%s', (_, yaml, words) => {
    expect(faultsOf(yaml).join('\n')).toMatch(words)
  })

  it('are refused limits that leave no value', () => {
    const rules = (more: string) =>
      faultsOf(
        `${HUB}collectors: [{ name: a, protocol: s7, host: h, machine_identifier: m, items: [{ address: MW2, metric_name: t, unit: u, ${more} }] }]`,
      )
    expect(rules('invalid: [0x7FFF, -32768], min: 0, max: 0, values: { RUNNING: 1 }')).toEqual([])
    expect(rules('min: 1, max: 0')).toEqual(['collectors[0].items[0].min: must not be above max'])
    expect(rules('values: { RUNNING: on }')[0]).toMatch(/^collectors\[0\]\.items\[0\]\.values.RUNNING: /)
    expect(rules('invalid: 32767')[0]).toMatch(/^collectors\[0\]\.items\[0\]\.invalid: /)
  })

  it('of a collector in a file of its own are told by that file, and nothing beside its name is ignored', () => {
    const many = write(`- ${collector('a')}\n- ${collector('b').replace('address: 1', 'adress: 1')}`, 'many.yaml')
    const one = write(collector('c').replace('host: h', `host: "$\{NOWHERE}"`), 'one.yaml')
    expect(faultsOf(`${HUB}collectors: [{ file: many.yaml, host: h }, { file: one.yaml }]`)).toEqual([
      `collectors[0].host: stands in ${many}, not beside its name`,
      `${one}.host: the environment variable NOWHERE is not set`,
      `${many}[1].registers[0].address: is missing`,
      `${many}[1].registers[0].adress: there is no such setting`,
      `${one}.host: must not be empty`,
    ])
  })

  it('are none where a section is there and everything in it is commented out', () => {
    expect(faultsOf(`${HUB}buffer:\nuplink:\n  # max_in_flight: 4\ncollectors:\n`)).toEqual([])
  })

  it('a missing file is said in one sentence', () => {
    expect(() => loadConfig(join(folder, 'none.yaml'), {})).toThrow(/none.yaml cannot be used:\n {2}- there is no such file/)
  })

  it.each(['http://localhost:8080', 'http://127.0.0.1:8080', 'http://[::1]:8080'])(
    'plaintext on this computer is none: %s',
    (url) => {
      expect(faultsOf(`hub: { url: "${url}", api_key: k }`)).toEqual([])
    },
  )

  it.each(['http://127.0.0.1.example.com', 'http://localhost.example.com', 'http://10.0.0.1'])('but %s is', (url) => {
    expect(faultsOf(`hub: { url: "${url}", api_key: k }`)).toHaveLength(1)
    expect(faultsOf(`hub: { url: "${url}", api_key: k, allow_plaintext: true }`)).toEqual([])
  })
})

it('secrets print as ***', () => {
  const config = loadConfig(write(`${HUB}uplink: { mqtt: { url: "mqtts://b", password: hunter2 } }`), {})
  for (const text of [inspect(config, { depth: 9 }), JSON.stringify(config), `${config.hub.apiKey}`]) {
    expect(text).not.toMatch(/hk_secret_key|hunter2/)
    expect(text).toContain('***')
  }
})

function collector(name: string): string {
  return `{ name: ${name}, protocol: modbus, machine_identifier: m, host: h, registers: [{ address: 1, metric_name: x, unit: y }] }`
}

function opcua(more: string): string {
  return `{ name: a, protocol: opcua, machine_identifier: m, host: h, nodes: [{ node_id: n, metric_name: x, unit: y }], ${more} }`
}
