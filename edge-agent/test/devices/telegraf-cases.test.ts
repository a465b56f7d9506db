import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { stringify } from 'yaml'
import { importTelegraf } from '../../src/commands/telegraf.ts'

const CASES = join(import.meta.dirname, 'telegraf')
const cases = readdirSync(CASES).filter((file) => file.endsWith('.conf') && file !== 'sample.conf')

describe('configurations of Telegraf as people write them', () => {
  it.each(cases)('%s becomes the collectors and notes of its golden file', async (file) => {
    vi.stubEnv('HALTLESS_AGENT_COMMAND', 'haltless-agent')
    onTestFinished(() => void vi.unstubAllEnvs())
    const imported = importTelegraf(await readFile(join(CASES, file), 'utf8'))
    const golden = await readFile(join(CASES, file.replace('.conf', '.yaml')), 'utf8')
    expect(stringify(imported, { lineWidth: 0 })).toBe(golden)
  })
})

const FIELD = 'name = "x", address = [1], byte_order = "AB", data_type = "UINT16", scale = 2.0'
const modbus = (lines: string) => `[[inputs.modbus]]\nname = "m"\ncontroller = "tcp://h:502"\n${lines}`
const opcua = (lines: string, plugin = 'opcua') => `[[inputs.${plugin}]]\nname = "u"\nendpoint = "opc.tcp://h:4840"\n${lines}`
const NODE = 'nodes = [ { name = "a", id = "ns=2;i=1" } ]'

describe('a key that nobody knows', () => {
  it.each([
    ['odd', modbus(`odd = 1\nholding_registers = [ { ${FIELD} } ]`)],
    ['holding_registers.odd', modbus(`holding_registers = [ { ${FIELD}, odd = 1 } ]`)],
    ['workarounds.odd', modbus(`coils = [ { name = "x", address = [1] } ]\n[inputs.modbus.workarounds]\nodd = 1`)],
    ['request.odd', modbus('configuration_type = "request"\n[[inputs.modbus.request]]\nodd = 1')],
    [
      'metric.fields.odd',
      modbus('configuration_type = "metric"\n[[inputs.modbus.metric]]\nfields = [ { address = 1, odd = 1 } ]'),
    ],
    ['odd', opcua(`odd = 1\n${NODE}`)],
    ['request_workarounds.odd', opcua(`${NODE}\nrequest_workarounds = { odd = 1 }`)],
    ['subscription_interval', opcua(`${NODE}\nsubscription_interval = "1s"`)],
    ['group.odd', opcua(`${NODE}\ngroup = [ { odd = 1 } ]`, 'opcua_listener')],
    ['nodes.odd', opcua('nodes = [ { id = "ns=2;i=1", odd = 1 } ]', 'opcua_listener')],
    [
      'nodes.monitoring_params.data_change_filter.odd',
      opcua('nodes = [ { id = "ns=2;i=1", monitoring_params = { data_change_filter = { odd = 1 } } } ]', 'opcua_listener'),
    ],
  ])('%s is named', (key, source) => {
    expect(importTelegraf(source).notes.join('\n')).toContain(`left out: ${key} (no known key)`)
  })
})

/** The keys of the sample configurations of Telegraf, without those of events and of browsing, which are named as a whole. */
const ALL_KEYS = [
  modbus(`slave_id = 1\ntimeout = "1s"\nbusy_retries = 0\nbusy_retries_wait = "1s"\nbaud_rate = 9600\ndata_bits = 8\nparity = "N"
    stop_bits = 1\ntransmission_mode = "TCP"\nlog_level = "trace"\nconfiguration_type = "register"\nexclude_register_type_tag = false
    debug_connection = false\ncoils = [ { measurement = "a", name = "x", data_type = "BOOL", address = [1] } ]
    holding_registers = [ { ${FIELD}, measurement = "a", bit = 1 } ]
    [inputs.modbus.rs485]\ndelay_rts_before_send = "0ms"\n[inputs.modbus.workarounds]\npause_after_connect = "0ms"
    pause_between_requests = "0ms"\nclose_connection_after_gather = false\nread_coils_starting_at_zero = false
    string_register_location = ""\none_request_per_field = false\nmax_bit_registers_per_request = 2000
    max_word_registers_per_request = 125`),
  modbus(`configuration_type = "metric"\noptimization = "none"\noptimization_max_register_fill = 50\n[[inputs.modbus.metric]]
    slave_id = 1\nbyte_order = "ABCD"\nmeasurement = "a"\ntags = { machine = "b" }
    fields = [ { register = "input", address = 1, name = "x", type = "STRING", length = 1, bit = 1, scale = 1.0, output = "STRING" } ]`),
  modbus(`configuration_type = "request"\n[[inputs.modbus.request]]\noptimization = "none"\noptimization_max_register_fill = 50
    slave_id = 1\nbyte_order = "ABCD"\nregister = "input"\nmeasurement = "a"\ntags = { machine = "b" }
    fields = [ { address = 1, name = "x", type = "INT16", measurement = "a", omit = false } ]`),
  opcua(`connect_timeout = "10s"\nrequest_timeout = "5s"\nsession_timeout = "20m"\nlocales = []\nread_retry_timeout = "100ms"
    read_retry_count = 0\nreconnect_error_threshold = 1\nsecurity_policy = "auto"\nsecurity_mode = "auto"\ncertificate = "c"
    private_key = "k"\nremote_certificate = "r"\nauth_method = "Anonymous"\nusername = ""\npassword = ""\ntimestamp = "gather"
    client_trace = false\noptional_fields = []\nbrowse = { root = "ns=0;i=85" }\n${NODE}
    workarounds = { additional_valid_status_codes = ["0xC0"] }\nrequest_workarounds = { use_unregistered_reads = false }`),
  opcua(
    `connect_fail_behavior = "error"\nsubscription_interval = "100ms"\ntimestamp_format = ""\nevents = [ { queue_size = 1 } ]
    workarounds = { use_unregistered_reads = false, monitored_items_batch_size = 0 }
    nodes = [ { name = "a", namespace = "1", namespace_uri = "", identifier_type = "i", identifier = "1", default_tags = { t = "1" },
      monitoring_params = { sampling_interval = "0s", queue_size = 10, discard_oldest = true,
        data_change_filter = { trigger = "Status", deadband_type = "Absolute", deadband_value = 1.0 } } } ]
    group = [ { name = "g", namespace = "2", namespace_uri = "", identifier_type = "i", sampling_interval = "0s", default_tags = {} } ]`,
    'opcua_listener',
  ),
]

it.each([
  ['gather', 'agent'],
  ['server', 'server'],
  ['source', undefined],
])('the timestamps of OPC UA by %s are those of %s', (given, timestamps) => {
  const { collectors, notes } = importTelegraf(opcua(`timestamp = "${given}"\n${NODE}`))
  expect(collectors).toMatchObject([{ protocol: 'opcua' }])
  expect((collectors[0] as { timestamps?: string }).timestamps).toBe(timestamps)
  expect(notes.filter((note) => note.includes('timestamp'))).toEqual([])
  const unknown = importTelegraf(opcua(`timestamp = "moon"\n${NODE}`))
  expect(unknown.notes.join()).toContain('timestamp (moon has no equal here)')
})

it.each(ALL_KEYS)('each key of the sample configurations is known: %#', (source) => {
  const { collectors, notes } = importTelegraf(source)
  expect(collectors).toHaveLength(1)
  expect(notes.filter((note) => note.includes('no known key'))).toEqual([])
})
