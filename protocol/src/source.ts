import { z } from 'zod'
import { MODBUS_TABLES, SECURITY_MODES, SECURITY_POLICIES } from './connection-choices.ts'
import { OptionalFault } from './faults/fault-shape.ts'

export { MODBUS_TABLES, SECURITY_MODES, SECURITY_POLICIES }

const text = (max: number) => z.string().min(1).max(max)
/** value as named = raw * scale + offset */
const scaling = { scale: z.number().default(1), offset: z.number().default(0) }
/** Which values of a tag become readings: a device often sends a fixed number in place of a value, or a text. */
export const valueRules = {
  invalid: z.array(z.number()).max(20).optional().describe('raw values that are no readings'),
  min: z.number().optional().describe('lowest reading, after scaling'),
  max: z.number().optional().describe('highest reading, after scaling'),
  values: z
    .record(text(255), z.number())
    .refine((values) => Object.keys(values).length <= 100, 'must have at most 100 texts')
    .optional()
    .describe('reading of each text'),
}
/** The keys of {@link valueRules} of one tag. */
export interface ValueRules {
  invalid?: number[] | undefined
  min?: number | undefined
  max?: number | undefined
  values?: Record<string, number> | undefined
}
/** `machine_identifier` only where a tag belongs to another machine than its source: one server often serves several. */
const named = { metric_name: text(255), unit: text(64), machine_identifier: text(255).optional().describe('another machine') }

/** How much a source asks of its device at most; of several sources of one host and port the strictest limit counts. */
const limits = {
  max_requests_per_second: z.number().min(0.1).max(1_000).optional().describe('default: no limit'),
  pause_ms: z.int().min(0).max(60_000).optional().describe('between requests, which are then sent one at a time'),
}

/** Whose timestamps readings carry: those of the value at its source, those of the server, or the time at which the agent got them. */
export const TIMESTAMPS = ['source', 'server', 'agent'] as const
/** Of a source with a clock. Without `timestamps`, the agent dates readings only while that clock is off by more than the limit. */
export const maxClockOffset = z
  .number()
  .min(1)
  .max(86_400)
  .default(30)
  .describe('without `timestamps`, a clock that is off by more dates no readings')
/** Of a source without a clock. */
export const agentTimestamps = (devices: string) =>
  z
    .literal('agent', { error: `must be agent, because ${devices} send no timestamps` })
    .optional()
    .describe('only `agent`: these devices send no timestamps')

export const SOURCE_PROTOCOLS = ['opcua', 'modbus'] as const
export type SourceProtocol = (typeof SOURCE_PROTOCOLS)[number]

/**
 * `config` of an OPC UA polling source. `node_id` such as `nsu=urn:acme:press;s=Press.Temperature`, or with the index that the URI had in the
 * first session: `ns=2;s=Press.Temperature`; `deadband` is absolute, in the unit after scaling: a value that stays within it is sent once a
 * minute. A user name and password need `security_mode` `SignAndEncrypt`. `server_thumbprint` is the SHA-1 of the only trusted
 * server certificate, 40 hex digits as OPC UA programs show it. Without it the poller trusts the certificates that an operator
 * trusted there.
 */
export const OpcUaConfig = z.object({
  endpoint_path: z.string().max(1_000).default(''),
  security_mode: z.enum(SECURITY_MODES).default('None'),
  security_policy: z.enum(SECURITY_POLICIES).default('None'),
  username: text(255).optional(),
  password: z.string().max(1_000).optional().describe('secret'),
  server_thumbprint: z
    .string()
    .regex(/^([0-9a-f]{2}[ :]?){20}$/i, 'must be 40 hex digits')
    .optional()
    .describe('SHA-1 of the only trusted certificate'),
  mode: z.enum(['poll', 'subscribe']).default('poll'),
  ...limits,
  history_hours: z.number().min(0).max(720).default(24).describe('after a lost connection; 0: never'),
  timeout_ms: z.int().min(500).max(60_000).optional().describe('default: two polls or 5 s, whichever is longer'),
  timestamps: z
    .enum(TIMESTAMPS)
    .optional()
    .describe('whose timestamps readings carry; default: those of the source while the clock of the server is right'),
  max_clock_offset_seconds: maxClockOffset,
  nodes: z
    .array(
      z.object({
        node_id: text(500),
        index_range: z
          .union([z.int().min(0).max(4_294_967_295), z.string().regex(/^\d{1,10}(,\d{1,10})?$/, 'must be such as 3 or "1,2"')])
          .optional()
          .describe('an element of an array, from 0; `1,2` of a matrix'),
        ...named,
        ...scaling,
        ...valueRules,
        deadband: z.number().min(0).default(0),
      }),
    )
    .max(10_000)
    .default([]),
})
export type OpcUaConfig = z.infer<typeof OpcUaConfig>

/** Security settings that contradict each other, by key. */
export function securityFaults(config: OpcUaConfig): { key: keyof OpcUaConfig; fault: string }[] {
  const { security_mode: mode, security_policy: policy, username, password } = config
  const faults: { key: keyof OpcUaConfig; fault: string }[] = []
  if ((mode === 'None') !== (policy === 'None'))
    faults.push({ key: 'security_policy', fault: 'None goes with security_mode None, and the other way round' })
  if ((username !== undefined || password !== undefined) && mode !== 'SignAndEncrypt')
    faults.push({ key: 'security_mode', fault: 'must be SignAndEncrypt where a user name and password are sent' })
  if (username === undefined && password !== undefined)
    faults.push({ key: 'username', fault: 'is missing, and a password needs one' })
  return faults
}

export const MODBUS_TYPES = [
  'bool',
  'int8_low',
  'uint8_low',
  'int8_high',
  'uint8_high',
  'int16',
  'uint16',
  'int32',
  'uint32',
  'int48',
  'uint48',
  'int64',
  'uint64',
  'float32',
  'float64',
  'bcd16',
  'bcd32',
  'string',
] as const
/** What encloses a request on the connection: the header of Modbus TCP, or unit id and checksum as on a serial line. */
export const MODBUS_FRAMINGS = ['tcp', 'rtu'] as const
export const BYTE_ORDERS = ['ABCD', 'CDAB', 'BADC', 'DCBA'] as const

/**
 * One value in a Modbus device. `address` is zero-based (40001 in a manual is holding address 0). `bit` (0 = least significant) picks one
 * bit of a register; `length` is the number of registers of a string, which is read only when it holds a number.
 */
export const ModbusRegister = z.object({
  table: z.enum(MODBUS_TABLES).default('holding'),
  address: z.int().min(0).max(65_535).describe('zero-based'),
  data_type: z.enum(MODBUS_TYPES).default('uint16'),
  byte_order: z.enum(BYTE_ORDERS).default('ABCD'),
  bit: z.int().min(0).max(15).optional(),
  length: z.int().min(1).max(125).optional(),
  ...scaling,
  ...valueRules,
  ...named,
})
export type ModbusRegister = z.infer<typeof ModbusRegister>

/**
 * `config` of a Modbus TCP polling source. `max_gap`: a request may also read up to this many unwanted registers (coils: times
 * 16) between two wanted ones, where that saves a request; 0 for devices that must not be asked for them.
 */
export const ModbusConfig = z.object({
  unit_id: z.int().min(0).max(255).default(1),
  answers_as: z.int().min(0).max(255).optional().describe('unit id in the answers of a device that does not repeat unit_id'),
  framing: z.enum(MODBUS_FRAMINGS).default('tcp').describe('rtu: Modbus RTU over TCP, as serial servers pass it on'),
  timeout_ms: z.int().min(50).max(60_000).default(2_000),
  max_gap: z.int().min(0).max(124).default(8),
  max_registers: z.int().min(1).max(125).default(125).describe('registers in a request'),
  max_coils: z.int().min(1).max(2_000).default(2_000).describe('coils or discrete inputs in a request'),
  timestamps: agentTimestamps('Modbus devices'),
  ...limits,
  registers: z.array(ModbusRegister).max(10_000).default([]),
})
export type ModbusConfig = z.infer<typeof ModbusConfig>

const shared = {
  source_id: z.guid(),
  name: text(200),
  machine_identifier: text(255),
  host: text(255),
  port: z.int().min(1).max(65_535),
  poll_interval_seconds: z.int().min(5).max(3_600),
}
/** A polling source as the hub pushes it to its agent. */
export const AgentSource = z.discriminatedUnion('protocol', [
  z.object({ ...shared, protocol: z.literal('opcua'), config: OpcUaConfig }),
  z.object({ ...shared, protocol: z.literal('modbus'), config: ModbusConfig }),
])
export type AgentSource = z.infer<typeof AgentSource>

/** Counts the changes of an agent's sources; it never goes back. */
const Revision = z
  .int()
  .min(0)
  .max(2 ** 48)

/**
 * All sources that an agent is to run, payload of the `sources` topic. Each is read by itself (`AgentSource`), so that one which an older
 * agent cannot read leaves the others alone.
 */
export const AgentSources = z.object({
  revision: Revision.describe('The revision of the set.'),
  sources: z
    .array(z.looseObject({ source_id: z.guid().describe('The polling source; its settings stand beside it.') }))
    .max(200)
    .describe('All sources that the agent is to run, at most 200.'),
})
export type AgentSources = z.infer<typeof AgentSources>

/** What to look for on the device of a source: variables of an OPC UA server, or what a Modbus register holds. */
export const SourceBrowse = z.object({
  under: text(500).optional().describe('OPC UA: the node id to begin at. Default: the folder Objects.'),
  search: text(200).optional().describe('OPC UA: words that all occur in path or node id, whatever their case.'),
  page: z.int().min(1).max(1_000).default(1).describe('OPC UA: the page, from 1.'),
  page_size: z.int().min(1).max(200).default(100).describe('OPC UA: variables a page.'),
  table: z.enum(MODBUS_TABLES).default('holding').describe('Modbus: the table to read.'),
  address: z.int().min(0).max(65_535).optional().describe('Modbus: the register, zero-based; required there.'),
})
export type SourceBrowse = z.infer<typeof SourceBrowse>

const Found = z.string().max(2_000).nullable()
/** What was found on the device. */
export const SourceBrowseAnswer = z.object({
  error: z.string().max(1_000).nullable().describe('Why nothing could be read, in plain words; null when something could.'),
  error_fault: OptionalFault.describe('The same as a fault; null or absent where it has no code.'),
  nodes: z
    .array(
      z.object({
        node_id: z.string().max(2_000).describe('As `nodes` of the configuration take it.'),
        path: z.array(z.string().max(1_000)).max(100).describe('Browse names below the start.'),
        type: Found.describe('Such as `Double` or `Int16[]`; null without a value.'),
        value: Found.describe('The present value in words; null without one.'),
        unit: Found.describe('Engineering unit of the server, such as `°C`; null without.'),
        fault: Found.describe('Why it cannot become readings; null when it can.'),
        reason: OptionalFault.describe('The same as a fault; null or absent where it has no code.'),
      }),
    )
    .max(200)
    .describe('OPC UA: variables in the order of the tree.'),
  has_more: z.boolean().describe('OPC UA: whether there is a next page.'),
  is_complete: z
    .boolean()
    .describe('OPC UA: false when the search gave up, because the server has too many nodes; begin deeper.'),
  registers: z
    .object({
      address: z.int().describe('The first register or bit.'),
      words: z.array(z.int().min(0).max(65_535)).max(4).describe('The registers, or one bit.'),
      values: z
        .array(
          z.object({
            data_type: z.enum(MODBUS_TYPES).describe('How they are read.'),
            byte_order: z.enum(BYTE_ORDERS).describe('In which order of bytes.'),
            value: z.number().nullable().describe('The value; null for what is no finite number.'),
            is_likely: z.boolean().describe('Whether it has the size of a measured value.'),
          }),
        )
        .max(100)
        .describe('Every type and byte order.'),
      text: Found.describe('The text in them, when all of it is printable.'),
    })
    .nullable()
    .describe('Modbus: what the registers hold.'),
})
export type SourceBrowseAnswer = z.infer<typeof SourceBrowseAnswer>

/** A request on the `sources` topic beside an empty set of revision 0, which agents from before ignore. The answer goes to `POST /agent/browse`. */
export const BrowseRequest = z.object({ request_id: z.guid(), source_id: z.guid(), query: SourceBrowse })
export type BrowseRequest = z.infer<typeof BrowseRequest>

/** The state of an agent's pushed sources, reported with every heartbeat. */
export const AgentSourcesReport = z.object({
  revision: Revision.describe('The revision that the agent runs; 0 before it got one.'),
  fault: z.string().max(1_000).optional().describe('Why it could not take a newer one.'),
  revision_fault: OptionalFault.describe('The same as a fault.'),
  states: z
    .array(
      z.object({
        source_id: z.guid().describe('The polling source.'),
        error: z.string().max(1_000).nullable().describe('What is wrong, in plain words; null when nothing is.'),
        fault: OptionalFault.describe('The same as a fault.'),
        polled_at: z.iso.datetime().nullable().describe('When the device last answered; null before the first time.'),
      }),
    )
    .max(200)
    .describe('How each source does, at most 200.'),
})
export type AgentSourcesReport = z.infer<typeof AgentSourcesReport>
