import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { importTelegraf } from '../../src/commands/telegraf.ts'
import { loadConfig } from '../../src/settings/config.ts'
import { agentCommand } from './agent-command.ts'

const FILE = join(import.meta.dirname, 'telegraf', 'sample.conf')
let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'haltless-telegraf-'))
})
afterAll(() => rm(dir, { recursive: true }))

const modbus = (lines: string) => importTelegraf(`[[inputs.modbus]]\nname = "m"\ncontroller = "tcp://h:502"\n${lines}`)
const registerOf = (field: string) => {
  const { collectors, notes } = modbus(`holding_registers = [ { name = "x", ${field} } ]`)
  return (collectors[0]?.registers as Record<string, unknown>[] | undefined)?.[0] ?? notes[0]
}

describe('import of a Telegraf configuration', () => {
  it('makes a collector of each unit and server, with intervals, timeouts and machines', async () => {
    const { collectors } = importTelegraf(await readFile(FILE, 'utf8'))
    expect(
      collectors.map(({ name, machine_identifier, host, port, unit_id, poll_interval_seconds, timeout_ms }) => ({
        name,
        machine_identifier,
        host,
        port,
        unit_id,
        poll_interval_seconds,
        timeout_ms,
      })),
    ).toMatchObject([
      {
        name: 'meter',
        machine_identifier: 'meter',
        host: '10.1.2.3',
        port: 1502,
        unit_id: 3,
        poll_interval_seconds: 5,
        timeout_ms: 1500,
      },
      {
        name: 'gateway 1',
        machine_identifier: 'gateway',
        host: '10.1.2.4',
        port: 502,
        unit_id: 1,
        poll_interval_seconds: 5,
        timeout_ms: 1000,
      },
      {
        name: 'gateway 2',
        machine_identifier: 'gateway',
        host: '10.1.2.4',
        port: 502,
        unit_id: 2,
        poll_interval_seconds: 5,
        timeout_ms: 1000,
      },
      { name: 'press', machine_identifier: 'press', host: '10.1.2.5', port: 4840, poll_interval_seconds: 5 },
    ])
    expect(collectors[1]?.registers).toEqual([
      {
        table: 'holding',
        address: 0,
        data_type: 'int16',
        byte_order: 'DCBA',
        scale: 0.1,
        metric_name: 'voltage',
        unit: 'unknown',
        machine_identifier: 'impresser',
      },
      {
        table: 'holding',
        address: 5,
        data_type: 'float32',
        byte_order: 'DCBA',
        metric_name: 'energy',
        unit: 'unknown',
        machine_identifier: 'impresser',
      },
    ])
    expect(collectors[3]).toMatchObject({
      endpoint_path: 'UA/x',
      security_mode: 'SignAndEncrypt',
      security_policy: 'Basic256Sha256',
      username: 'u',
      nodes: [
        { node_id: 'ns=3;s=Temperature', metric_name: 'temp' },
        { node_id: 'ns=2;i=1001', metric_name: 'temp', machine_identifier: 'm2' },
        { node_id: 'ns=2;i=1002', metric_name: 'temp_2', machine_identifier: 'm2' },
      ],
    })
  })

  it.each([
    ['data_type = "INT16", address = [1]', { data_type: 'int16', address: 1 }],
    ['data_type = "UFIXED", address = [1, 2], scale = 0.1', { data_type: 'uint32', scale: 0.1 }],
    ['data_type = "FIXED", address = [1, 2, 3, 4]', { data_type: 'int64' }],
    ['data_type = "FLOAT32", address = [1]', { data_type: 'uint16' }],
    ['data_type = "FLOAT64-IEEE", byte_order = "BADC", address = [1, 2, 3, 4]', { data_type: 'float64', byte_order: 'BADC' }],
    ['data_type = "UINT16", byte_order = "BA", address = [1]', { data_type: 'uint16', byte_order: 'DCBA' }],
    ['data_type = "INT32", byte_order = "BA", address = [1, 2]', { data_type: 'int32', byte_order: 'DCBA' }],
    ['data_type = "INT8L", address = [1]', { data_type: 'int8_low' }],
    ['data_type = "UFIXED", byte_order = "EFCDAB", address = [1, 2, 3]', { data_type: 'uint48', byte_order: 'CDAB' }],
    ['data_type = "FLOAT16-IEEE", address = [1]', 'modbus m: x (FLOAT16-IEEE) has no equal here; left out'],
    ['data_type = "INT16"', 'modbus m: x needs addresses that follow each other; left out'],
  ])('reads %s', (field, expected) => {
    const found = registerOf(field)
    if (typeof expected === 'string') expect(found).toBe(expected)
    else expect(found).toMatchObject(expected)
  })

  it('keeps the namespace of a node, by its index or its URI', () => {
    const { collectors } = importTelegraf(`\uFEFF[[inputs.opcua]]
      endpoint = "opc.tcp://h:4840"
      nodes = [
        { name = "a", namespace_uri = "http://acme.example/press", identifier_type = "s", identifier = "T" },
        { name = "b", id = "nsu=http://acme.example/press;i=7" },
      ]
      [[inputs.opcua.group]]
        namespace_uri = "http://acme.example/oven"
        identifier_type = "i"
        nodes = [{ name = "c", identifier = "8" }, { name = "d", namespace = "3", identifier = "9" }]`)
    expect((collectors[0] as unknown as { nodes: { node_id: string }[] }).nodes.map(({ node_id }) => node_id)).toEqual([
      'nsu=http://acme.example/press;s=T',
      'nsu=http://acme.example/press;i=7',
      'nsu=http://acme.example/oven;i=8',
      'ns=3;i=9',
    ])
  })

  it('reads an input that is a single table, and names one that gives no collector', () => {
    const single = importTelegraf('[inputs.modbus]\nname = "m"\ncontroller = "tcp://h"\ncoils = [{ name = "on", address = [0] }]')
    expect(single.collectors).toMatchObject([{ registers: [{ table: 'coil', address: 0 }] }])
    const { collectors, notes } = importTelegraf(`[[inputs.modbus]]
      name = "a"
      controller = "tcp://$PLC:502"
      [[inputs.modbus]]
      name = "b"
      controller = "tcp://h:502"
      [[inputs.opcua]]
      endpoint = "opc.tcp://h:4840"`)
    expect(collectors).toEqual([])
    expect(notes).toEqual([
      'modbus a: tcp://$PLC:502 is an environment variable of Telegraf: write the address in its place; left out',
      'modbus b: no register of it can be read; left out',
      'opcua opcua: no node of it can be read; left out',
    ])
  })

  it('says what it leaves out, and takes one machine for all', async () => {
    const { notes } = importTelegraf(await readFile(FILE, 'utf8'))
    expect(notes.join('\n')).toMatch(/text needs addresses[\s\S]*ttyUSB0[\s\S]*Basic256 is not safe[\s\S]*inputs\.cpu/)
    const { collectors } = importTelegraf(await readFile(FILE, 'utf8'), 'line-9')
    expect(new Set(collectors.map(({ machine_identifier }) => machine_identifier))).toEqual(new Set(['line-9']))
    expect(JSON.stringify(collectors)).not.toMatch(/impresser|"m2"/)
  })

  it('as a command: prints them, adds them to the settings, and leaves settings alone that would have faults', async () => {
    const settings = join(dir, 'agent.yaml')
    await writeFile(settings, 'hub:\n  url: https://hub.example.com # mine\n  api_key: hk_0_a\nagent_id: x\n', { mode: 0o600 })
    const shown = await agentCommand(['import', FILE, '--config', settings])
    expect(shown).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^collectors:\n {2}- name: meter/),
      err: expect.stringContaining('Telegraf knows no units'),
    })
    const env = { HALTLESS_OPCUA_PASSWORD: 'p' }
    expect(await agentCommand(['import', FILE, '--config', settings, '--add'], env)).toMatchObject({
      code: 0,
      out: expect.stringContaining('4 collectors added'),
    })
    const before = await readFile(settings, 'utf8')
    expect(before).toContain('# mine')
    expect(loadConfig(settings, { ...process.env, ...env }).collectors).toHaveLength(4)
    const again = await agentCommand(['import', FILE, '--config', settings, '--add'], env)
    expect(again).toMatchObject({ code: 1, err: expect.stringContaining('Nothing was written') })
    expect(await readFile(settings, 'utf8')).toBe(before)
    await writeFile(join(dir, 'bad.conf'), 'a = [')
    expect(await agentCommand(['import', join(dir, 'bad.conf'), '--config', settings])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/bad\.conf is not a configuration of Telegraf: line 1: /),
    })
    expect(await agentCommand(['import', join(dir, 'none.conf'), '--config', settings])).toMatchObject({
      code: 1,
      err: expect.stringContaining('none.conf cannot be read: there is no such file or folder'),
    })
  })
})
