import { adapterOf } from '@haltless/edge-agent/collectors'
import { AgentId, fault, SOURCE_PROTOCOLS, SourceBrowse, SourceBrowseAnswer } from '@haltless/protocol'
import { RecordVersion } from '../../../support/http/record-version.ts'
import { Id, Instant, pathId, text } from '../../../support/http/shapes.ts'
import { configVariants } from '../../../support/http/variants.ts'
import { z } from '../../../support/http/z.ts'
import { FaultBody } from '../../plant/faults/index.ts'
import { describeConfig } from './describe-config.ts'
import { shapeOf } from './source-config.ts'

export const SourceParams = z.object({
  source_id: pathId('ingest source').describe('The polling source, from `GET /ingest-sources`.'),
})

const CONFIG = `Keys by protocol; responses show secrets as \`***\`.

- Both: \`agent_id\`, the edge agent that polls the source inside its plant. Without it the hub polls.
${SOURCE_PROTOCOLS.map((protocol) => `- \`${protocol}\`: ${describeConfig(adapterOf(protocol).config)}.`).join('\n')}

Values are raw * scale + offset.`
const Config = z
  .record(z.string().max(100), z.unknown())
  .openapi({ type: 'object', additionalProperties: true, description: CONFIG })
const variants = configVariants(
  {
    property: 'protocol',
    texts: {
      agent_id: 'The edge agent that polls the source inside its plant. Without it the hub polls.',
      username: 'The user who signs in; without it the session is anonymous.',
      node_id:
        'The node with the URI of its namespace, such as nsu=urn:acme:press;s=Press.OilTemperature. An index such as ns=2 means the namespace that had it in the first session.',
      metric_name: 'The metric that readings are stored as.',
      unit: 'The unit of the values.',
      bit: 'The bit of the register, from 0.',
      length: 'How many registers a text has.',
    },
  },
  Object.fromEntries(SOURCE_PROTOCOLS.map((protocol) => [protocol, shapeOf(protocol)])),
)

const PORTS = SOURCE_PROTOCOLS.map(adapterOf)
  .map(({ label, defaultPort }) => `${defaultPort} for ${label}`)
  .join(' and ')
const fields = {
  machine_id: Id.describe('The machine that the readings belong to, unless a node or register names another.'),
  name: text(200).describe('The name that people see.'),
  protocol: z.enum(SOURCE_PROTOCOLS).describe('How the source is read; it decides the keys of `config`.'),
  host: text(255).describe('Host name or address. Public, unless an agent polls the source inside its plant.'),
  port: z.int().min(1).max(65_535).describe(`TCP port; usually ${PORTS}.`),
}
const Interval = z.int().min(5).max(3_600).describe('Seconds between two polls, 5 to 3,600.')
const IsActive = z.boolean().describe('Whether the source is polled.')
const example = {
  name: 'PLC of press 1',
  protocol: 'modbus',
  host: '10.0.0.5',
  port: 502,
  poll_interval_seconds: 30,
  config: {
    agent_id: 'line-4',
    registers: [{ table: 'holding', address: 0, data_type: 'float32', metric_name: 'oil_temperature', unit: 'celsius' }],
  },
}

export const SourceCreate = z
  .object({
    ...fields,
    poll_interval_seconds: Interval.default(30).describe('Seconds between two polls, 5 to 3,600. Default: 30.'),
    is_active: IsActive.default(true).describe('Whether the source is polled. Default: true.'),
    config: Config.default({}),
  })
  .openapi('IngestSourceCreate', { example, ...variants })

export const SourcePut = z
  .object({ ...fields, poll_interval_seconds: Interval, is_active: IsActive, config: Config })
  .partial()
  .openapi('IngestSourcePut', { example: { poll_interval_seconds: 60 } })

export const SourceBody = z
  .object({
    id: Id.describe('Identifies the polling source: the `source_id` of paths and of other responses.'),
    tenant_id: Id.describe('The tenant that it belongs to.'),
    ...fields,
    name: z.string().describe('The name that people see.'),
    host: z.string().describe('Host name or address.'),
    poll_interval_seconds: z.int().describe('Seconds between two polls.'),
    is_active: z.boolean().describe('Whether the source is polled.'),
    config: Config,
    last_polled_at: Instant.nullable().describe('When the device last answered a poll; null before the first time.'),
    last_error: z.string().nullable().describe('The current error, with its remedy; null without one.'),
    last_fault: FaultBody.nullable().describe('The same as a fault; null without one, or where it has no code.'),
    created_at: Instant.describe('When the source was created.'),
    updated_at: Instant.describe('When the source was last changed.'),
    version: RecordVersion,
  })
  .openapi('IngestSource', { example: { ...example, last_polled_at: null, last_error: null, last_fault: null }, ...variants })

export const BrowseBody = z.object(SourceBrowse.shape).openapi('SourceBrowse', { example: { search: 'press temperature' } })
const found = {
  error: null,
  nodes: [
    {
      node_id: 'nsu=urn:acme:press;s=Press.OilTemperature',
      path: ['Plant', 'Press 1', 'OilTemperature'],
      type: 'Double',
      value: '41.88',
      unit: '°C',
      fault: null,
    },
  ],
  has_more: false,
  is_complete: true,
  registers: null,
}
export const BrowseFound = z.object(SourceBrowseAnswer.shape).openapi('SourceBrowseAnswer', { example: found })
export const BrowseAnswerBody = z
  .object({
    agent_id: AgentId.describe('The agent that answers.'),
    request_id: Id.describe('The request, from the `sources` topic.'),
    answer: BrowseFound.describe('What it found.'),
  })
  .openapi('AgentBrowseAnswer', {
    example: { agent_id: 'line-4', request_id: '0198c7d4-5a00-7000-8000-00004b5a1c11', answer: found },
  })

export const ConnectionTest = z
  .object({
    success: z.boolean().describe('Whether the device answered and its configured values could be read.'),
    message: z.string().describe('The result, or the error and its remedy; several lines.'),
    fault: FaultBody.nullable().describe('Why it failed, as a fault; null when it did not, or only `message` says why.'),
    polled_at: Instant.nullable().describe(
      'When the device last answered the agent that polls the source; null before the first time, and where the hub polls.',
    ),
  })
  .openapi('ConnectionTest', {
    example: {
      success: false,
      message: 'Agent line-4 polls this source, and has not reported yet.',
      fault: fault('agent_not_reported', { agent: 'line-4' }),
      polled_at: null,
    },
  })
